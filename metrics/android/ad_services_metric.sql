-- Latencies of Android's services for advertising.
CREATE OR REPLACE PERFETTO FUNCTION _mean_slice_ms(name STRING)
RETURNS DOUBLE AS
SELECT avg(dur) / 1e6 FROM slice WHERE name = $name AND dur >= 0;

CREATE OR REPLACE PERFETTO VIEW ad_services_metric_output AS
SELECT AdServicesMetric(
  'ui_metric', (
    SELECT RepeatedField(AdServicesUiMetric(
      'main_activity_creation_latency', _mean_slice_ms('AdServicesSettingsMainActivity#OnCreate'),
      'consent_manager_read_latency', _mean_slice_ms('ConsentManager#ReadOperation'),
      'consent_manager_write_latency', _mean_slice_ms('ConsentManager#WriteOperation'),
      'consent_manager_initialization_latency', _mean_slice_ms('ConsentManager#Initialization')))
  ),
  'app_set_id_metric', (
    SELECT RepeatedField(AdServicesAppSetIdMetric('latency', _mean_slice_ms('AdIdCacheEvent')))
  ),
  'ad_id_metric', (
    SELECT RepeatedField(AdServicesAdIdMetric('latency', _mean_slice_ms('AppSetIdEvent')))
  ),
  'odp_metric', (
    SELECT RepeatedField(OnDevicePersonalizationMetric(
      'managing_service_initialization_latency',
      _mean_slice_ms('OdpManagingService#Initialization'),
      'service_delegate_execute_flow_latency',
      _mean_slice_ms('OdpManagingServiceDelegate#Execute'),
      'service_delegate_request_surface_package_latency',
      _mean_slice_ms('OdpManagingServiceDelegate#RequestSurfacePackage'),
      'service_delegate_register_web_trigger_latency',
      _mean_slice_ms('OdpManagingServiceDelegate#RegisterWebTrigger')))
  )
) AS message;
