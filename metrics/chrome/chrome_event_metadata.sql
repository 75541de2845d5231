-- The system that Chrome ran on and the categories that were recorded: chrome_event_metadata(name, value).
CREATE OR REPLACE PERFETTO VIEW chrome_event_metadata AS
SELECT 'os-name' AS name, extract_arg(arg_set_id, 'os-name') AS value
FROM __intrinsic_chrome_raw
WHERE name = 'chrome_event.metadata'
UNION
SELECT 'trace-category', c.value
FROM __intrinsic_chrome_raw AS m
JOIN json_each(json_extract(extract_arg(m.arg_set_id, 'trace-config'), '$.included_categories')) AS c
WHERE m.name = 'chrome_event.metadata';
