SELECT track_id, min(step), max(step) FROM (
  SELECT track_id, value - lag(value) OVER (PARTITION BY track_id ORDER BY ts) AS step FROM counter)
GROUP BY track_id;
