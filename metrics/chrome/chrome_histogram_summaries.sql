-- Chrome's histograms: how many samples, and how large.
INCLUDE PERFETTO MODULE chrome.histograms;

CREATE OR REPLACE PERFETTO VIEW chrome_histogram_summaries_output AS
SELECT ChromeHistogramSummaries(
  'histogram_summary', (
    SELECT RepeatedField(HistogramSummary(
      'name', name,
      'mean', mean,
      'count', number,
      'sum', total,
      'max', largest,
      'p90', p90,
      'p50', p50))
    FROM (
      SELECT
        name,
        CAST(avg(value) AS INT) AS mean,
        count(*) AS number,
        sum(value) AS total,
        max(value) AS largest,
        CAST(percentile(value, 90) AS INT) AS p90,
        CAST(percentile(value, 50) AS INT) AS p50
      FROM chrome_histograms
      WHERE name IS NOT NULL
      GROUP BY name
      ORDER BY name
    )
  )
) AS message;
