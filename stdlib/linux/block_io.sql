-- Work of block devices.

INCLUDE PERFETTO MODULE intervals.overlap;

-- From each change on: how many operations wait in the kernel's queue or are carried out.
CREATE PERFETTO VIEW linux_active_block_io_operations_by_device(
  -- When the number changes, ns of trace time.
  ts LONG,
  -- Operations from `ts` on.
  ops_in_queue_or_device LONG,
  -- Number of the device, see linux_device_major_id.
  dev LONG
) AS
SELECT ts, value AS ops_in_queue_or_device, group_name AS dev
FROM intervals_overlap_count_by_group!((
  SELECT slice.ts, slice.dur, extract_arg(track.dimension_arg_set_id, 'block_device') AS device
  FROM track
  JOIN slice ON slice.track_id = track.id
  WHERE track.type = 'block_io'
), ts, dur, device);

-- Number of the driver. A device number as user programs know it has bits 8 to 19 for the driver;
-- those on either side of them are the device's number for the driver.
CREATE PERFETTO FUNCTION linux_device_major_id(
  -- Number of the device.
  dev LONG
) RETURNS LONG AS
SELECT ($dev >> 8) & 0xfff;

-- Number of the device for its driver.
CREATE PERFETTO FUNCTION linux_device_minor_id(
  -- Number of the device.
  dev LONG
) RETURNS LONG AS
SELECT ($dev & 0xff) | (($dev >> 12) & 0xffffff00);
