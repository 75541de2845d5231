-- Names of slices without what differs from one to the next.

-- What stands before `mark`.
CREATE PERFETTO MACRO _name_before(name Expr, mark Expr) RETURNS Expr AS
substr($name, 1, instr($name, $mark) - 1);

-- The class whose handler runs something: what stands before the name of an inner class or lambda.
CREATE PERFETTO MACRO _handler_class(name Expr) RETURNS Expr AS
__intrinsic_strip_hex(_name_before!($name, '$'), 2);

-- Names with "vsync" in them, in any case.
CREATE PERFETTO FUNCTION _standardize_vsync_slice_name(name STRING) RETURNS STRING AS
SELECT CASE
  WHEN $name GLOB 'beginFrame*' THEN 'beginFrame <...>'
  WHEN $name GLOB 'frameIsEarly*' THEN 'frameIsEarly <...>'
  WHEN $name GLOB '*vsync*in*' THEN 'vsync in <...>'
  WHEN $name GLOB 'present for*vsyncIn*' THEN 'present for vsync in <...>'
  WHEN $name GLOB 'wait for earliest present time*' THEN 'wait for earliest present time <vsync>'
  WHEN $name GLOB 'present for Common Panel*' THEN 'present for Common Panel'
  WHEN $name GLOB 'frameTimelineInfo*' THEN 'frameTimelineInfo <...>'
  WHEN $name GLOB '*setFrameTimelineInfo*' THEN 'setFrameTimelineInfo <...>'
  WHEN $name GLOB '*AChoreographer_vsyncCallback*' THEN 'AChoreographer_vsyncCallback <...>'
  WHEN regexp('^unsync-vsync-id=.* isSfChoreo=(true|false)$', $name)
    THEN 'unsync-vsync-id=<...> isSfChoreo=' || regexp_extract($name, '(true|false)$')
  WHEN $name GLOB 'Discarding old vsync*' THEN 'Discarding old vsync'
  WHEN $name GLOB 'setDisplayModePtr*' THEN 'setDisplayModePtr'
  WHEN $name GLOB 'adjusting vsync by*' THEN 'adjusting vsync by <...>'
  WHEN $name GLOB 'Not-Adjusting vsync by*' THEN 'Not-Adjusting vsync by <...>'
  WHEN $name GLOB 'dropping stale frameNumber*' THEN 'dropping stale frameNumber <...>'
  WHEN $name GLOB 'Sensor event from com.google.sensor.camera_vsync*'
    THEN 'Sensor event from com.google.sensor.camera_vsync <...>'
  WHEN $name GLOB '*DisplayInfo*' THEN 'DisplayInfo <...>'
  WHEN $name GLOB 'Choreographer#onVsync*' THEN 'Choreographer#onVsync<...>'
  WHEN regexp('^(appSf|sf|app) alarm.*;.*VSYNC in', $name)
    THEN regexp_extract($name, '^(appSf|sf|app)') || ' alarm in <...>; vsync in <...>'
  WHEN $name GLOB 'FT#*' THEN 'FT#FrameTrackerEvent'
  WHEN $name GLOB '*isVsyncValid*' THEN 'isVsyncValid <...>'
  WHEN $name GLOB 'onHardwareVsyncRequest*' THEN 'onHardwareVsyncRequest <...>'
  WHEN $name GLOB 'onComposerHalVsync*' THEN 'onComposerHalVsync <...>'
  WHEN $name GLOB
      'ensureMinFrameDurationIsKept*mNumVsyncsForFrame=*mPastExpectedPresentTimes.size()=*'
    THEN 'ensureMinFrameDurationIsKept mNumVsyncsForFrame=<...> '
      || 'mPastExpectedPresentTimes.size()=<...>'
  WHEN $name GLOB '*lastVsyncDelta*' THEN 'lastVsyncDelta=<...>'
  WHEN $name GLOB 'mLastCommittedVsync in*' THEN 'mLastCommittedVsync in <...>'
  ELSE __intrinsic_strip_hex($name, 2)
END;

-- Wakelocks of an epoll, by whose it is.
CREATE PERFETTO FUNCTION _standardize_wakelock_slice_name(name STRING) RETURNS STRING AS
SELECT iif(regexp('^Wakelock\(epoll[dm].*:', $name),
  substr($name, 1, length('Wakelock(epolld')) || '<...>' || substr($name, instr($name, ':')),
  __intrinsic_strip_hex($name, 2));

-- The class that a lambda or an inner class stands in.
CREATE PERFETTO FUNCTION _remove_lambda_name(name STRING) RETURNS STRING AS
SELECT _handler_class!($name) AS class;

-- The name of a slice without what differs from one to the next: numbers, addresses, owners of
-- locks.
CREATE PERFETTO FUNCTION android_standardize_slice_name(
  -- Name of a slice.
  name STRING
)
-- A name that all slices of the kind share.
RETURNS STRING AS
SELECT CASE
  -- Names of which only the beginning counts, without and with a sign that something follows.
  WHEN regexp('^(Choreographer#doFrame|DrawFrames|Texture upload|JIT compiling|OpenDexFilesFromOat|'
    || 'Open oat file|Open dex file|VdexFile)', $name)
    THEN regexp_extract($name, '^(Choreographer#doFrame|DrawFrames|Texture upload|JIT compiling|'
      || 'OpenDexFilesFromOat|Open oat file|Open dex file|VdexFile)')
  WHEN regexp('^(monitor contention with|SuspendThreadByThreadId|LoadApkAssetsFd|relayoutWindow|'
    || 'AssetManager::Open(NonAsset|XmlAsset|Asset))', $name)
    THEN regexp_extract($name, '^(monitor contention with|SuspendThreadByThreadId|LoadApkAssetsFd|'
      || 'relayoutWindow|AssetManager::Open(?:NonAsset|XmlAsset|Asset))') || ' <...>'
  WHEN $name GLOB 'android.os.Handler: kotlinx.coroutines*' THEN 'CoroutineContinuation'
  WHEN $name GLOB 'drawLayer [[]*]*' THEN substr($name, 1, instr($name, ']'))
  WHEN $name GLOB '*AssetInputStream*' THEN 'AssetInputStream'
  WHEN regexp('^(openTypedAssetFile|LoadApkAssets)', $name)
    THEN regexp_extract($name, '^(openTypedAssetFile|LoadApkAssets)') || ' <...>'
  WHEN $name GLOB '*AssetLoader:*' THEN 'AssetLoader: <...>'
  WHEN $name GLOB 'requested config :*' THEN 'requested config : <...>'
  WHEN $name GLOB '/data/app*.apk' THEN 'APK load'
  WHEN $name GLOB 'GC: Wait For*' THEN 'Garbage Collector'
  WHEN regexp('^(prepareDispatchCycleLocked|enqueueDispatchEntryAndStartDispatchCycleLocked)', $name)
    THEN regexp_extract($name,
      '^(prepareDispatchCycleLocked|enqueueDispatchEntryAndStartDispatchCycleLocked)') || ' <...>'
  WHEN $name GLOB 'Layers: *' THEN 'Layers: <...>'
  WHEN $name GLOB '* SurfaceView*(BLAST)#*'
    THEN substr(_name_before!($name, '#'), instr($name, 'SurfaceView'))
  WHEN regexp('^(uid|wakeupap)=', $name) THEN str_split($name, '=', 0) || ' = <...>'
  WHEN $name GLOB 'launchingActivity#*' THEN 'launchingActivity#<...>'
  WHEN $name GLOB 'updateUidStateUL*' THEN 'updateUidStateUL <...>'
  WHEN regexp('^Wakelock\(epoll[dm].*:', $name)
    THEN _standardize_wakelock_slice_name($name)
  WHEN regexp('^(cpuhp|atc)', $name) THEN regexp_extract($name, '^(cpuhp|atc)') || '<...>'
  WHEN regexp('^\d.* (Alarm|Wifi|Sensor):', $name)
    THEN regexp_extract($name, ' (Alarm|Wifi|Sensor):') || ': <...>'
  WHEN $name GLOB '*Cellular_data*' THEN 'Cellular_data <...>'
  WHEN $name GLOB '*GET_ACTIVITY_INFO ModemActivityInfo*'
    THEN '<...>GET_ACTIVITY_INFO ModemActivityInfo <...>'
  WHEN $name GLOB 'UNSOL_SIGNAL_STRENGTH*' THEN 'UNSOL_SIGNAL_STRENGTH <...>'
  WHEN regexp('GET_CELL_INFO_LIST|VOICE_REGISTRATION_STATE|DATA_REGISTRATION_STATE', $name)
    THEN '<...> ' || regexp_extract($name,
      '(GET_CELL_INFO_LIST|VOICE_REGISTRATION_STATE|DATA_REGISTRATION_STATE)') || ' <...>'
  WHEN $name GLOB 'InputConsumer processing on ClientState*'
    THEN 'InputConsumer processing on ClientState<...>'
  -- A transaction's thread, or what it is for, and its number.
  WHEN $name GLOB 'Transaction (Thread-*, *)'
    THEN 'Transaction (Thread-<...>,' || substr($name, instr($name, ','))
  WHEN $name GLOB 'Transaction (*, *)' THEN _name_before!($name, ',') || ', <...>)'
  WHEN $name GLOB 'Lock contention on* (*' THEN _name_before!($name, '(') || '<...>'
  -- Handlers say what they run, or only their own class and a number.
  WHEN $name GLOB '*Handler: *$*'
    THEN _handler_class!(substr($name, instr($name, 'Handler:')))
  WHEN $name GLOB '*.*.*: *$*' OR $name GLOB '*.*$*: #*'
    THEN 'Handler: ' || _handler_class!($name)
  WHEN $name GLOB 'deliverInputEvent*' THEN 'deliverInputEvent <...>'
  WHEN lower($name) GLOB '*vsync*' THEN _standardize_vsync_slice_name($name)
  -- The number is that of the atom.
  WHEN $name GLOB 'StatsPull-*' THEN $name
  ELSE __intrinsic_strip_hex($name, 2)
END;
