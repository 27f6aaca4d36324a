WITH steps AS (
  SELECT zzclient_id, id, day, status, cents,
         lag(day) OVER turn AS before,
         sum(cents) OVER (turn ROWS UNBOUNDED PRECEDING) AS running,
         row_number() OVER (PARTITION BY zzclient_id ORDER BY day DESC, id DESC) AS back
  FROM zzdeals
  WINDOW turn AS (PARTITION BY zzclient_id ORDER BY day, id)
)
SELECT zzclient_id AS zzclient,
       count(*) AS number,
       max(CAST(julianday(day) - julianday(before) AS INTEGER)) AS longest_gap,
       max(running) AS peak,
       max(CASE WHEN back = 1 THEN status END) AS last_status,
       sum(before IS NOT NULL AND day = before) AS same_day
FROM steps
GROUP BY zzclient_id
HAVING count(*) > 1
ORDER BY longest_gap DESC, zzclient_id;
