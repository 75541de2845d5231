-- Durations in other units than nanoseconds. Conversions to larger units round towards zero.

-- Nanoseconds, as they are.
CREATE PERFETTO FUNCTION time_from_ns(
  -- Nanoseconds.
  nanos LONG
) RETURNS TIMESTAMP AS
SELECT $nanos;

-- Microseconds as nanoseconds.
CREATE PERFETTO FUNCTION time_from_us(
  -- Microseconds.
  micros LONG
) RETURNS LONG AS
SELECT $micros * 1000;

-- Milliseconds as nanoseconds.
CREATE PERFETTO FUNCTION time_from_ms(
  -- Milliseconds.
  millis LONG
) RETURNS TIMESTAMP AS
SELECT $millis * 1000000;

-- Seconds as nanoseconds.
CREATE PERFETTO FUNCTION time_from_s(
  -- Seconds.
  seconds LONG
) RETURNS TIMESTAMP AS
SELECT $seconds * 1000000000;

-- Minutes as nanoseconds.
CREATE PERFETTO FUNCTION time_from_min(
  -- Minutes.
  minutes LONG
) RETURNS TIMESTAMP AS
SELECT $minutes * 60000000000;

-- Hours as nanoseconds.
CREATE PERFETTO FUNCTION time_from_hours(
  -- Hours.
  hours LONG
) RETURNS TIMESTAMP AS
SELECT $hours * 3600000000000;

-- Days as nanoseconds.
CREATE PERFETTO FUNCTION time_from_days(
  -- Days.
  days LONG
) RETURNS LONG AS
SELECT $days * 86400000000000;

-- Nanoseconds, as they are.
CREATE PERFETTO FUNCTION time_to_ns(
  -- Nanoseconds.
  nanos TIMESTAMP
) RETURNS LONG AS
SELECT $nanos;

-- Nanoseconds as microseconds.
CREATE PERFETTO FUNCTION time_to_us(
  -- Nanoseconds.
  nanos TIMESTAMP
) RETURNS LONG AS
SELECT $nanos / 1000;

-- Nanoseconds as milliseconds.
CREATE PERFETTO FUNCTION time_to_ms(
  -- Nanoseconds.
  nanos TIMESTAMP
) RETURNS LONG AS
SELECT $nanos / 1000000;

-- Nanoseconds as seconds.
CREATE PERFETTO FUNCTION time_to_s(
  -- Nanoseconds.
  nanos TIMESTAMP
) RETURNS LONG AS
SELECT $nanos / 1000000000;

-- Nanoseconds as minutes.
CREATE PERFETTO FUNCTION time_to_min(
  -- Nanoseconds.
  nanos TIMESTAMP
) RETURNS LONG AS
SELECT $nanos / 60000000000;

-- Nanoseconds as hours.
CREATE PERFETTO FUNCTION time_to_hours(
  -- Nanoseconds.
  nanos TIMESTAMP
) RETURNS LONG AS
SELECT $nanos / 3600000000000;

-- Nanoseconds as days.
CREATE PERFETTO FUNCTION time_to_days(
  -- Nanoseconds.
  nanos TIMESTAMP
) RETURNS LONG AS
SELECT $nanos / 86400000000000;
