SELECT status, count(*) AS number, sum(cents) AS total
FROM zzdeals
WHERE day >= '2022-01-01' AND day < '2023-01-01'
GROUP BY status
ORDER BY total DESC, status;
