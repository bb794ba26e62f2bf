/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* device/: accelerators behind one small interface. It knows nothing of units, chains or policies: it
 * copies bytes and launches kernels. Every call returns 0 or a negative errno and never blocks for the
 * device unless its comment says so. Calls on one stream take effect in order and come from one thread at
 * a time; all else may be called from any thread. */
#ifndef AG_DEVICE_H
#define AG_DEVICE_H

#include "sys/clock.h"
#include <agglom/abi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AG_MAX_DEVICES = 16 };

struct ag_device;
struct ag_stream; /* an in-order queue of copies and launches */
struct ag_kernel; /* one entry point, loaded on one device */

enum ag_health {
  AG_DEVICE_OK = 0,
  AG_DEVICE_QUARANTINED = 1, /* sticky error: no driver call is made on it any more */
  AG_DEVICE_ABANDONED = 2    /* it does not answer: nor is its work waited for, which may go on for ever */
};

struct ag_device_info {
  char kind[16];          /* "cuda", "emulated" */
  char name[96];          /* "NVIDIA H200", "emulated device 0" */
  char pci[24];           /* "00000000:3b:00.0"; "" where it is not known */
  int index;              /* within its kind */
  int capability;         /* 90 for sm_90; 0 if it has no meaning */
  size_t memory_bytes;    /* total */
  size_t memory_free;     /* when opened */
  unsigned compute_units; /* SMs; threads of an emulated device */
  unsigned max_threads;   /* per block */
  unsigned max_blocks;    /* grid x */
};

enum { AG_WARP = 32 }; /* threads of a warp */

/* How a launch is cut: blocks x threads. The emulated device runs chain c for c in 0..n_chains-1. */
struct ag_grid {
  unsigned blocks;
  unsigned threads;
};

/* What a device did for a batch, in ag_clock_ns() time, each from its first such operation to the end of its
 * last; ends are 0 where there was none, or where it is not known. */
struct ag_device_times {
  struct ag_clock_span copy_in, kernel, copy_out;
};

/* Bytes that come back from the device. */
struct ag_fetch {
  void *to;
  const void *from; /* on the device */
  size_t bytes;
  size_t tag; /* the caller's */
};

/* n rows of so many bytes, which begin in regular distances on the host and in regular ones on the device. */
struct ag_rows {
  size_t n, bytes, host_pitch, device_pitch;
};

/* From the first byte of the rows to the last, where they are `pitch` bytes apart. */
static inline size_t ag_rows_hull(const struct ag_rows *rows, size_t pitch) {
  return (rows->n - 1) * pitch + rows->bytes;
}

struct ag_device_ops {
  /* Before several calls in a row by one thread, which then cost less, and after them; between the two it
   * calls nothing of the program's. Such pairs may nest. enter: 0, or -EIO when the device is lost: there is
   * nothing to leave then. leave: err, or -EIO when the device turns out to be lost. */
  int (*enter)(struct ag_device *dev);
  int (*leave)(struct ag_device *dev, int err);
  /* Memory. alloc: device memory, aligned to 256. host_alloc: pinned host memory. To free it may block for
   * the device. */
  int (*alloc)(struct ag_device *dev, size_t bytes, void **dptr);
  int (*free)(struct ag_device *dev, void *dptr);
  int (*host_alloc)(struct ag_device *dev, size_t bytes, void **hptr);
  int (*host_free)(struct ag_device *dev, void *hptr);
  /* Page-locks whole pages of the caller's memory for all devices of this kind, and undoes it: what copies
   * read from them needs no detour. May block. Without a word when it cannot be done. */
  int (*host_register)(struct ag_device *dev, void *hptr, size_t bytes);
  int (*host_unregister)(struct ag_device *dev, void *hptr);
  int (*stream_create)(struct ag_device *dev, struct ag_stream **stream);
  /* Waits for the stream, dev->patience_ns at most. An error: what was put into it may still be under way; an
   * emulated device then reads no memory of the program any more. In either case it is not to be used again.
   */
  int (*stream_destroy)(struct ag_device *dev, struct ag_stream *stream);
  /* Asynchronous, in stream order. Host memory must stay valid and unchanged until completion. */
  int (*copy_in)(struct ag_device *dev, struct ag_stream *s, void *dst, const void *src, size_t n);
  int (*copy_out)(struct ag_device *dev, struct ag_stream *s, void *dst, const void *src, size_t n);
  /* The same for n > 0 pieces, which lie on the host as they lie on the device: in this order, at the same
   * distances. What lies between them may come too. The array must stay until completion. */
  int (*fetch)(struct ag_device *dev, struct ag_stream *s, const struct ag_fetch *pieces, size_t n);
  /* The same for two or more rows at once; what lies between them is left alone on either side. */
  int (*rows_in)(struct ag_device *dev, struct ag_stream *s, void *dst, const void *src,
                 const struct ag_rows *rows);
  int (*rows_out)(struct ag_device *dev, struct ag_stream *s, void *dst, const void *src,
                  const struct ag_rows *rows);
  int (*move)(struct ag_device *dev, struct ag_stream *s, void *dst, const void *src,
              size_t n); /* on the device */
  int (*fill)(struct ag_device *dev, struct ag_stream *s, void *dst, int byte, size_t n);
  /* milestone: marks how far a stream has come. follow: what is put into stream s from now on begins after
   * the latest milestone of `other`, if there is one. Both streams may be in use by other threads. */
  int (*milestone)(struct ag_device *dev, struct ag_stream *s);
  int (*follow)(struct ag_device *dev, struct ag_stream *s, struct ag_stream *other);
  /* Finds the task's kernel in its module's images, loading the module on first use. May block. -ENOENT: no
   * image fits this device. The kernel belongs to the device. */
  int (*kernel)(struct ag_device *dev, const struct agglom_task *task, struct ag_kernel **kernel);
  /* How many blocks of so many threads the whole device can have resident; 0: it cannot be told. */
  unsigned (*resident)(struct ag_device *dev, struct ag_kernel *kernel, unsigned threads);
  int (*launch)(struct ag_device *dev, struct ag_stream *s, struct ag_kernel *kernel,
                const struct agglom_launch *launch, struct ag_grid grid);
  /* Marks the end of a batch: after it, finished() says 0 when all before it in the stream is complete,
   * -EAGAIN while it is not, another negative errno when it failed. One mark a stream at a time. */
  int (*mark)(struct ag_device *dev, struct ag_stream *s);
  int (*finished)(struct ag_device *dev, struct ag_stream *s);
  /* Nanoseconds the device spent in kernels of this stream between the last two marks; 0 = unknown. Of short
   * ones that look alike some are measured, and the others are taken to take as long. */
  uint64_t (*kernel_ns)(struct ag_device *dev, struct ag_stream *s);
  /* When the device did what stands between the last two marks. Known only while dev->timed is set, which
   * costs something. */
  void (*times)(struct ag_device *dev, struct ag_stream *s, struct ag_device_times *times);
  /* Forgets a module that is being unloaded (dlclose). */
  void (*forget)(struct ag_device *dev, const struct agglom_module *module);
  void (*close)(struct ag_device *dev); /* frees the device and everything that belongs to it */
};

struct ag_device {
  const struct ag_device_ops *ops;
  struct ag_device_info info;
  bool timed;           /* set before the first stream is made; see times() */
  unsigned char poison; /* what is to stand in a batch's memory beside all that its units name; 0: anything */
  /* Set before the first stream is made: how long a stream is waited for before the device counts as hanging;
   * 0: for as long as it takes. */
  uint64_t patience_ns;
  _Atomic int health; /* enum ag_health; set by the device layer, read by all */
};

/* Opens what AGGLOM_DEVICES asks for: "auto" (every usable GPU), "none", "cuda[:i,j...]",
 * "emulated[:n]". Fills devices[0..max-1] and returns how many; 0 is not an error. A malformed value is
 * a negative errno after a message. Devices that were asked for by name and cannot be used are named in
 * a warning with the reason. */
int ag_devices_open(const char *spec, struct ag_device **devices, int max);

/* Says once, in a warning, that dev does not answer and why, and marks it as abandoned. What its work may
 * still write to, device memory and pinned memory, must be left alone. Any thread. */
void ag_device_abandon(struct ag_device *dev, const char *why);

/* Whether this thread is one that executes kernels of an emulated device: what a kernel calls on it is part
 * of the kernel, also when it is host code. */
bool ag_emulated_here(void);

/* Makes ag_emulated_here() say so of a thread of another kind that runs kernels' code; false: no longer. */
void ag_emulated_set_here(bool here);

/* Whether an isolated emulated device was lost because a kernel used memory that is not the device's. */
bool ag_emulated_kernels_failed(void);

/* The reason why there is no usable CUDA device, as a sentence for people; "" when there is one. */
const char *ag_cuda_why_not(void);

/* Whether the reason is that the driver does not work, and not that there is no driver or no GPU. */
bool ag_cuda_broken(void);

#endif /* AG_DEVICE_H */
