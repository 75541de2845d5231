/* Which function handles which ftrace event: H(event, handler). Events that are not here only have
 * their row in ftrace_event. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_HANDLERS_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_HANDLERS_H

#include "parsers/perfetto/ftrace/ftrace_internal.h"

/* ftrace_task.c */
#define FTRACE_TASK_HANDLERS(H)                                                                    \
    H(sched_waking, on_sched_waking)                                                               \
    H(sched_blocked_reason, on_sched_blocked_reason)                                               \
    H(sched_process_free, on_sched_process_free)                                                   \
    H(task_newtask, on_task_newtask)                                                               \
    H(task_rename, on_task_rename)                                                                 \
    H(signal_generate, on_signal_generate)                                                         \
    H(signal_deliver, on_signal_deliver)                                                           \
    H(sys_enter, on_sys_enter)                                                                     \
    H(sys_exit, on_sys_exit)                                                                       \
    H(sched_cpu_util_cfs, on_sched_cpu_util_cfs)

/* ftrace_marks.c */
#define FTRACE_MARK_HANDLERS(H)                                                                    \
    H(print, on_print)                                                                             \
    H(zero, on_zero)                                                                               \
    H(tracing_mark_write, on_mdss_mark)                                                            \
    H(sde_tracing_mark_write, on_sde_mark)                                                         \
    H(samsung_tracing_mark_write, on_samsung_mark)                                                 \
    H(dpu_tracing_mark_write, on_dpu_mark)                                                         \
    H(g2d_tracing_mark_write, on_g2d_mark)                                                         \
    H(mali_tracing_mark_write, on_mali_mark)                                                       \
    H(lwis_tracing_mark_write, on_lwis_mark)                                                       \
    H(panel_write_generic, on_panel_mark)                                                          \
    H(kprobe_event, on_kprobe)                                                                     \
    H(funcgraph_entry, on_funcgraph_entry)                                                         \
    H(funcgraph_exit, on_funcgraph_exit)

/* ftrace_binder.c */
#define FTRACE_BINDER_HANDLERS(H)                                                                  \
    H(binder_transaction, on_binder_transaction)                                                   \
    H(binder_transaction_received, on_binder_received)                                             \
    H(binder_transaction_alloc_buf, on_binder_alloc_buf)                                           \
    H(binder_command, on_binder_command)                                                           \
    H(binder_return, on_binder_return)                                                             \
    H(binder_lock, on_binder_lock)                                                                 \
    H(binder_locked, on_binder_locked)                                                             \
    H(binder_unlock, on_binder_unlock)

/* ftrace_irq.c */
#define FTRACE_IRQ_HANDLERS(H)                                                                     \
    H(irq_handler_entry, on_irq_entry)                                                             \
    H(irq_handler_exit, on_irq_exit)                                                               \
    H(softirq_entry, on_softirq_entry)                                                             \
    H(softirq_exit, on_softirq_exit)                                                               \
    H(local_timer_entry, on_local_timer_entry)                                                     \
    H(local_timer_exit, on_local_timer_exit)                                                       \
    H(hrtimer_expire_entry, on_hrtimer_entry)                                                      \
    H(hrtimer_expire_exit, on_hrtimer_exit)                                                        \
    H(workqueue_execute_start, on_workqueue_start)                                                 \
    H(workqueue_execute_end, on_workqueue_end)                                                     \
    H(cpuhp_enter, on_cpuhp_enter)                                                                 \
    H(cpuhp_multi_enter, on_cpuhp_multi_enter)                                                     \
    H(cpuhp_exit, on_cpuhp_exit)                                                                   \
    H(hyp_enter, on_hyp_enter)                                                                     \
    H(hyp_exit, on_hyp_exit)                                                                       \
    H(host_hcall, on_host_hcall)                                                                   \
    H(host_smc, on_host_smc)                                                                       \
    H(host_mem_abort, on_host_mem_abort)                                                           \
    H(host_ffa_call, on_host_ffa_call)                                                             \
    H(iommu_idmap, on_iommu_idmap)                                                                 \
    H(psci_mem_protect, on_psci_mem_protect)                                                       \
    H(hypervisor_hyp_enter, on_hyp_enter)                                                          \
    H(hypervisor_hyp_exit, on_hyp_exit)                                                            \
    H(hypervisor_host_hcall, on_host_hcall)                                                        \
    H(hypervisor_host_smc, on_host_smc)                                                            \
    H(hypervisor_host_mem_abort, on_host_mem_abort)                                                \
    H(hypervisor_iommu_idmap, on_iommu_idmap)                                                      \
    H(hypervisor_iommu_idmap_complete, on_iommu_idmap_complete)                                    \
    H(hypervisor_psci_mem_protect, on_psci_mem_protect)                                            \
    H(hypervisor_vcpu_illegal_trap, on_vcpu_illegal_trap)

/* ftrace_power.c */
#define FTRACE_POWER_HANDLERS(H)                                                                   \
    H(cpu_frequency, on_cpu_frequency)                                                             \
    H(cpu_frequency_limits, on_cpu_frequency_limits)                                               \
    H(cpu_idle, on_cpu_idle)                                                                       \
    H(dcvsh_freq, on_dcvsh_freq)                                                                   \
    H(clock_set_rate, on_clock_set_rate)                                                           \
    H(clock_enable, on_clock_enable)                                                               \
    H(clock_disable, on_clock_disable)                                                             \
    H(suspend_resume, on_suspend_resume)                                                           \
    H(suspend_resume_minimal, on_suspend_resume_minimal)                                           \
    H(device_pm_callback_start, on_device_pm_start)                                                \
    H(device_pm_callback_end, on_device_pm_end)                                                    \
    H(wakeup_source_activate, on_wakeup_source_activate)                                           \
    H(wakeup_source_deactivate, on_wakeup_source_deactivate)                                       \
    H(rpm_status, on_rpm_status)                                                                   \
    H(devfreq_frequency, on_devfreq_frequency)                                                     \
    H(thermal_temperature, on_thermal_temperature)                                                 \
    H(cdev_update, on_cdev_update)                                                                 \
    H(thermal_exynos_acpm_bulk, on_thermal_acpm_bulk)                                              \
    H(thermal_exynos_acpm_high_overhead, on_thermal_acpm_overhead)                                 \
    H(bcl_irq_trigger, on_bcl_irq)                                                                 \
    H(param_set_value_cpm, on_cpm_counter)                                                         \
    H(fwtp_perfetto_counter, on_fwtp_counter)                                                      \
    H(fwtp_perfetto_slice, on_fwtp_slice)

/* ftrace_memory.c */
#define FTRACE_MEMORY_HANDLERS(H)                                                                  \
    H(rss_stat, on_rss_stat)                                                                       \
    H(rss_stat_throttled, on_rss_stat_throttled)                                                   \
    H(dmabuf_rss_stat, on_dmabuf_rss_stat)                                                         \
    H(oom_score_adj_update, on_oom_score_adj)                                                      \
    H(mark_victim, on_mark_victim)                                                                 \
    H(mm_event_record, on_mm_event)                                                                \
    H(ion_heap_grow, on_ion_grow)                                                                  \
    H(ion_heap_shrink, on_ion_shrink)                                                              \
    H(ion_stat, on_ion_stat)                                                                       \
    H(dma_heap_stat, on_dma_heap_stat)                                                             \
    H(fastrpc_dma_stat, on_fastrpc_dma_stat)                                                       \
    H(cma_alloc_start, on_cma_start)                                                               \
    H(cma_alloc_info, on_cma_info)                                                                 \
    H(cma_alloc_finish, on_cma_finish)                                                             \
    H(mm_alloc_contig_migrate_range_info, on_cma_migrate)                                          \
    H(mm_vmscan_direct_reclaim_begin, on_direct_reclaim_begin)                                     \
    H(mm_vmscan_direct_reclaim_end, on_direct_reclaim_end)                                         \
    H(mm_vmscan_memcg_reclaim_begin, on_memcg_reclaim_begin)                                       \
    H(mm_vmscan_memcg_reclaim_end, on_memcg_reclaim_end)                                           \
    H(mm_shrink_slab_start, on_shrink_slab_start)                                                  \
    H(mm_shrink_slab_end, on_shrink_slab_end)                                                      \
    H(pixel_mm_kswapd_wake, on_kswapd_wake)                                                        \
    H(pixel_mm_kswapd_done, on_kswapd_done)

/* ftrace_gpu.c */
#define FTRACE_GPU_HANDLERS(H)                                                                     \
    H(gpu_frequency, on_gpu_frequency)                                                             \
    H(kgsl_gpu_frequency, on_kgsl_gpu_frequency)                                                   \
    H(kgsl_adreno_cmdbatch_queued, on_adreno_queued)                                               \
    H(kgsl_adreno_cmdbatch_retired, on_adreno_retired)                                             \
    H(gpu_mem_total, on_gpu_mem_total)                                                             \
    H(gpu_work_period, on_gpu_work_period)                                                         \
    H(gpu_power_state, on_gpu_power_state)                                                         \
    H(mali_gpu_power_state, on_mali_gpu_power_state)                                               \
    H(mali_mali_CSF_INTERRUPT_START, on_mali_irq_start)                                            \
    H(mali_mali_CSF_INTERRUPT_END, on_mali_irq_end)                                                \
    H(drm_vblank_event, on_drm_vblank)                                                             \
    H(drm_vblank_event_delivered, on_drm_vblank_delivered)                                         \
    H(drm_sched_job, on_drm_sched_job)                                                             \
    H(drm_run_job, on_drm_run_job)                                                                 \
    H(drm_sched_process_job, on_drm_process_job)                                                   \
    H(drm_sched_job_queue, on_drm_job_queue)                                                       \
    H(drm_sched_job_run, on_drm_job_run)                                                           \
    H(drm_sched_job_done, on_drm_job_done)                                                         \
    H(dma_fence_init, on_dma_fence_init)                                                           \
    H(dma_fence_emit, on_dma_fence_emit)                                                           \
    H(dma_fence_signaled, on_dma_fence_signaled)                                                   \
    H(dma_fence_wait_start, on_dma_fence_wait_start)                                               \
    H(dma_fence_wait_end, on_dma_fence_wait_end)

/* ftrace_display.c */
#define FTRACE_DISPLAY_HANDLERS(H)                                                                 \
    H(virtio_gpu_cmd_queue, on_virtio_gpu_queue)                                                   \
    H(virtio_gpu_cmd_response, on_virtio_gpu_response)                                             \
    H(dpu_disp_dpu_underrun, on_dpu_underrun)                                                      \
    H(dpu_disp_dpu_line_underrun, on_dpu_line_underrun)                                            \
    H(dpu_disp_vblank_irq_enable, on_vblank_irq_enable)                                            \
    H(dpu_disp_frame_start_timeout, on_panel_frame_fault)                                          \
    H(dpu_disp_frame_done_timeout, on_panel_frame_fault)                                           \
    H(dpu_disp_frame_start_missing, on_panel_frame_fault)                                          \
    H(dpu_disp_frame_done_missing, on_panel_frame_fault)                                           \
    H(gram_collision, on_gram_collision)                                                           \
    H(panel_settings_full, on_panel_settings_full)                                                 \
    H(panel_settings_lite, on_panel_settings_lite)

/* ftrace_device.c */
#define FTRACE_DEVICE_HANDLERS(H)                                                                  \
    H(netif_receive_skb, on_netif_receive)                                                         \
    H(net_dev_xmit, on_net_dev_xmit)                                                               \
    H(inet_sock_set_state, on_inet_sock_set_state)                                                 \
    H(tcp_retransmit_skb, on_tcp_retransmit)                                                       \
    H(napi_gro_receive_entry, on_napi_gro_entry)                                                   \
    H(napi_gro_receive_exit, on_napi_gro_exit)                                                     \
    H(kfree_skb, on_kfree_skb)                                                                     \
    H(cros_ec_sensorhub_data, on_cros_ec)                                                          \
    H(ufshcd_command, on_ufshcd_command)                                                           \
    H(ufshcd_clk_gating, on_ufshcd_clk_gating)                                                     \
    H(f2fs_iostat, on_f2fs_iostat)                                                                 \
    H(f2fs_iostat_latency, on_f2fs_iostat_latency)                                                 \
    H(f2fs_write_checkpoint, on_f2fs_checkpoint)                                                   \
    H(android_fs_dataread_start, on_dataread_start)                                                \
    H(android_fs_dataread_end, on_dataread_end)                                                    \
    H(block_io_start, on_block_io_start)                                                           \
    H(block_io_done, on_block_io_done)                                                             \
    H(i2c_read, on_i2c_read)                                                                       \
    H(i2c_write, on_i2c_write)                                                                     \
    H(i2c_result, on_i2c_result)                                                                   \
    H(scm_call_start, on_scm_start)                                                                \
    H(scm_call_end, on_scm_end)                                                                    \
    H(google_icc_event, on_icc_event)                                                              \
    H(google_irm_event, on_irm_event)

/* ftrace_trusty.c */
#define FTRACE_TRUSTY_HANDLERS(H)                                                                  \
    H(trusty_smc, on_trusty_smc)                                                                   \
    H(trusty_smc_done, on_trusty_smc_done)                                                         \
    H(trusty_std_call32, on_trusty_std_call)                                                       \
    H(trusty_std_call32_done, on_trusty_std_call_done)                                             \
    H(trusty_share_memory, on_trusty_share_memory)                                                 \
    H(trusty_share_memory_done, on_trusty_share_memory_done)                                       \
    H(trusty_reclaim_memory, on_trusty_reclaim_memory)                                             \
    H(trusty_reclaim_memory_done, on_trusty_reclaim_memory_done)                                   \
    H(trusty_irq, on_trusty_irq)                                                                   \
    H(trusty_ipc_handle_event, on_trusty_handle_event)                                             \
    H(trusty_ipc_connect, on_trusty_connect)                                                       \
    H(trusty_ipc_connect_end, on_trusty_connect_end)                                               \
    H(trusty_ipc_write, on_trusty_write)                                                           \
    H(trusty_ipc_read, on_trusty_read)                                                             \
    H(trusty_ipc_read_end, on_trusty_read_end)                                                     \
    H(trusty_ipc_poll, on_trusty_poll)                                                             \
    H(trusty_ipc_rx, on_trusty_rx)                                                                 \
    H(trusty_enqueue_nop, on_trusty_enqueue_nop)

/* ftrace_video.c */
#define FTRACE_VIDEO_HANDLERS(H)                                                                   \
    H(virtio_video_cmd, on_virtio_video_cmd)                                                       \
    H(virtio_video_cmd_done, on_virtio_video_cmd_done)                                             \
    H(virtio_video_resource_queue, on_virtio_video_queue)                                          \
    H(virtio_video_resource_queue_done, on_virtio_video_queue_done)                                \
    H(v4l2_qbuf, on_v4l2_qbuf)                                                                     \
    H(v4l2_dqbuf, on_v4l2_dqbuf)                                                                   \
    H(vb2_v4l2_buf_queue, on_vb2_buf_queue)                                                        \
    H(vb2_v4l2_buf_done, on_vb2_buf_done)                                                          \
    H(vb2_v4l2_qbuf, on_vb2_qbuf)                                                                  \
    H(vb2_v4l2_dqbuf, on_vb2_dqbuf)

#define FTRACE_HANDLERS(H)                                                                         \
    FTRACE_TASK_HANDLERS(H)                                                                        \
    FTRACE_MARK_HANDLERS(H)                                                                        \
    FTRACE_BINDER_HANDLERS(H)                                                                      \
    FTRACE_IRQ_HANDLERS(H)                                                                         \
    FTRACE_POWER_HANDLERS(H)                                                                       \
    FTRACE_MEMORY_HANDLERS(H)                                                                      \
    FTRACE_GPU_HANDLERS(H)                                                                         \
    FTRACE_DISPLAY_HANDLERS(H)                                                                     \
    FTRACE_DEVICE_HANDLERS(H)                                                                      \
    FTRACE_TRUSTY_HANDLERS(H)                                                                      \
    FTRACE_VIDEO_HANDLERS(H)

#define FTRACE_DECLARE(event, handler) ftrace_handler handler;
FTRACE_HANDLERS(FTRACE_DECLARE)
#undef FTRACE_DECLARE

/* The state of Mali's microcontroller: each state is an event of its own. */
ftrace_handler on_mali_mcu_state;

#endif
