WITH back AS (
  SELECT zzdeal_id, sum(cents) AS cents FROM zzbacks GROUP BY zzdeal_id
)
SELECT substr(d.day, 1, 7) AS month,
       coalesce(nullif(c.town, ''), 'unknown') AS town,
       count(*) AS number,
       sum(d.cents) AS gross,
       sum(coalesce(b.cents, 0)) AS given_back,
       CASE WHEN sum(d.cents) = 0 THEN 0 ELSE sum(coalesce(b.cents, 0)) * 1000 / sum(d.cents) END AS permille
FROM zzdeals AS d
JOIN zzclients AS c ON c.id = d.zzclient_id
LEFT JOIN back AS b ON b.zzdeal_id = d.id
WHERE d.status IN ('paid', 'closed')
GROUP BY 1, 2
ORDER BY month, given_back DESC, town;
