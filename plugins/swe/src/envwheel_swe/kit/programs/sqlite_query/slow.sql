-- For every zzclient with more than one of zzdeals (taken in the order of day, then id):
-- how many there are, the longest gap between two neighbours in days, the highest running sum of cents,
-- the status of the last one, and how many have the same day as the one before.
SELECT a.zzclient_id AS zzclient,
       (SELECT count(*) FROM zzdeals AS b WHERE b.zzclient_id = a.zzclient_id) AS number,
       max(CAST(julianday(a.day) - julianday((
         SELECT b.day FROM zzdeals AS b
         WHERE b.zzclient_id = a.zzclient_id AND (b.day < a.day OR (b.day = a.day AND b.id < a.id))
         ORDER BY b.day DESC, b.id DESC LIMIT 1)) AS INTEGER)) AS longest_gap,
       max((
         SELECT sum(b.cents) FROM zzdeals AS b
         WHERE b.zzclient_id = a.zzclient_id AND (b.day < a.day OR (b.day = a.day AND b.id <= a.id)))) AS peak,
       (SELECT b.status FROM zzdeals AS b WHERE b.zzclient_id = a.zzclient_id ORDER BY b.day DESC, b.id DESC LIMIT 1)
         AS last_status,
       sum(EXISTS (SELECT 1 FROM zzdeals AS b
         WHERE b.zzclient_id = a.zzclient_id AND b.day = a.day AND b.id < a.id)) AS same_day
FROM zzdeals AS a
GROUP BY a.zzclient_id
HAVING number > 1
ORDER BY longest_gap DESC, a.zzclient_id;
