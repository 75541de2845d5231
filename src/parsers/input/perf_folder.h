/* Folders that `perf record` writes with --threads or --kcore, as one file: the recording is in
 * `data`, what each of its threads has read in `data.0`, `data.1` and so on, which are records
 * without a header. */
#ifndef TPTUI_PARSERS_INPUT_PERF_FOLDER_H
#define TPTUI_PARSERS_INPUT_PERF_FOLDER_H

/* Opens the recording of an open folder: `data` itself, or a file without a name that has its
 * records and those of the threads; -1 where the folder holds none. */
int perf_folder_open(int folder);

#endif
