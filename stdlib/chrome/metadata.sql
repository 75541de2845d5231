-- What Chrome says of the machine.

-- Class of the hardware, often the device's brand and model.
CREATE PERFETTO FUNCTION chrome_hardware_class() RETURNS STRING AS
SELECT str_value
FROM metadata
WHERE name = 'cr-hardware-class';
