SELECT c.name AS name,
       coalesce(nullif(c.town, ''), 'unknown') AS town,
       count(d.id) AS number,
       coalesce(sum(d.cents), 0) AS total
FROM zzclients AS c
LEFT JOIN zzdeals AS d ON d.zzclient_id = c.id AND d.status = 'paid'
GROUP BY c.id
ORDER BY total DESC, c.id;
