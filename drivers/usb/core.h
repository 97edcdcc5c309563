/*
 * The host's parts and how they hang together. Private to drivers/usb.
 *
 *   threads.c     the two threads              enumerate.c   devices that come and go
 *   settings.c    their endpoints              descriptor.c  what they say of themselves
 *   hub.c         the same behind hubs         device.c      the pool of devices and endpoints
 *   transfer.c    what class drivers call      bandwidth.c   time on the bus
 *   xhci/         the controller               schedule.h    what uses a bus when
 *   refused.c     what is told of those that cannot be served
 *
 * `_locked`: under the kernel's lock, that is between port_irq_save() and port_irq_restore().
 */
#ifndef TAKT_USB_CORE_H
#define TAKT_USB_CORE_H

#include "host.h"

/* Standard requests, descriptors (USB 2.0, 9.4; USB 3.2, 9.6). */
enum {
    REQUEST_GET_STATUS = 0,
    REQUEST_CLEAR_FEATURE = 1,
    REQUEST_SET_FEATURE = 3,
    REQUEST_GET_DESCRIPTOR = 6,
    REQUEST_SET_CONFIGURATION = 9,
    REQUEST_SET_INTERFACE = 11,
    DESCRIPTOR_DEVICE = 1,
    DESCRIPTOR_CONFIGURATION = 2,
    DESCRIPTOR_INTERFACE = 4,
    DESCRIPTOR_ENDPOINT = 5,
    DESCRIPTOR_COMPANION = 0x30,
    DEVICE_BYTES = 18,
    CONFIGURATION_HEAD = 9,
    CLASS_HUB = 9,
};

/* The thread to be woken, and the one on the budget of which. */
struct usb_host {
    struct takt_io_vcpu *io;           /* of the bottom half */
    const struct takt_thread *devices; /* the host's thread */
    struct takt_sem work;              /* for it */
    /* under the kernel's lock */
    const struct takt_thread *urgent; /* of those with transfers on their way; NULL: none */
    bool resting; /* the bottom half sleeps between two services */
};
extern struct usb_host usb_host;

enum usb_device_state {
    USB_FREE,
    USB_COMING, /* being enumerated */
    USB_HERE,
    USB_GOING, /* gone from the bus, its drivers do not know yet */
    USB_GONE,  /* its drivers know */
};

enum usb_stage {
    USB_IDLE,
    USB_QUEUED,
    USB_CANCELLED, /* queued, too */
    USB_ENDED,     /* not queued any more, on its way to done() */
};

extern struct usb_device usb_devices[USB_DEVICES];
extern struct usb_endpoint usb_endpoints[USB_ENDPOINTS];

/* The two threads' bodies. */
void usb_bottom_half(void *arg) __attribute__((noreturn));
void usb_devices_thread(void *arg) __attribute__((noreturn));

/* Brings up what controllers the board has; theirs are xhci_start() and xhci_isr(). */
void usb_find_controllers(void);

/* device.c. Host's thread. A device: NULL if there is no room. */
struct usb_device *usb_device_new(void);
void usb_device_free(struct usb_device *device);
/* Takes endpoints of an interface's setting from the pool and appends them to `made`, which holds
 * *count of USB_ENDPOINTS_MAX. TAKT_OK or TAKT_ENOSPACE. */
enum { USB_ENDPOINTS_MAX = 30 }; /* of a device */
int usb_endpoints_new(struct usb_device *device, const struct usb_interface *interface,
                      struct usb_endpoint *made[], size_t *count);

/* From now on nothing reaches the device or what hangs on it. Thread or bottom half. */
void usb_device_lost_locked(struct usb_device *device);

/* descriptor.c. Pure. TAKT_OK; TAKT_EINVAL: malformed; TAKT_ENOSPACE: too much. */
int usb_parse_device(struct usb_device *device, const uint8_t *raw, size_t bytes);
int usb_parse_configuration(struct usb_device *device, size_t bytes); /* of its `configuration` */
int usb_parse_setting(const struct usb_device *device, uint8_t number, uint8_t alternate,
                      struct usb_interface *found);
/* The next endpoint of an interface at or after *from, which moves behind it. False: no more.
 * Those that cannot be right are left out. */
bool usb_parse_endpoint(const struct usb_device *device, const struct usb_interface *interface,
                        size_t *from, struct usb_endpoint *endpoint);

/* A port that a device may be on: of the controller, or of a hub. */
struct usb_port {
    struct xhci *controller;
    struct usb_device *hub; /* or NULL */
    uint8_t root_port;
    uint8_t hub_port;
};

/* What has changed on a port. */
struct usb_change {
    bool plug; /* something has been plugged in or pulled out */
    bool lost; /* what was on it before is not, or not enabled */
};

/* refused.c. Host's thread. Something cannot be served; of a device: TAKT_OK says that no driver
 * wants it. A device that has not said its name has vendor 0. */
struct usb_name {
    uint16_t vendor, product;
};
void usb_refuse(const char *what, const char *why);
void usb_refuse_device(const struct usb_port *port, const struct usb_name *name, int result);

/* enumerate.c. Host's thread, may block. Something has changed on a port. A device that has gone,
 * and all that hang on it. */
void usb_port_changed(const struct usb_port *port, const struct usb_change *change);
void usb_depart(struct usb_device *device);
/* Gives a device up that does not take part in recovering: for its drivers it is gone; its port is
 * reset and it comes again. Thread; ..._locked: at the latest when controllers are watched. */
void usb_reset_device(struct usb_device *device);
void usb_reset_device_locked(struct usb_device *device);
int usb_get_descriptor(struct usb_device *device, uint8_t type, void *to, uint16_t bytes);

/* bandwidth.c. Time on the bus for endpoints, and back; the list ends with NULL. All or none:
 * TAKT_EADMIT. Thread, may block. */
int usb_bandwidth_take(struct usb_endpoint *const endpoints[]);
void usb_bandwidth_give(struct usb_endpoint *const endpoints[]);

/* settings.c. Host's thread, may block. Opens the endpoints of all interfaces and configures the
 * device. */
int usb_configure(struct usb_device *device);
/* A device that has gone: its endpoints take no time on the bus any more. */
void usb_settle(struct usb_device *device);

/* hub.c. Host's thread, may block. A configured hub begins to work: TAKT_OK, TAKT_ENOSPACE: no
 * room, or it is behind another. What has changed on hubs. A hub's port; usb_hub_reset(): speed. */
int usb_hub_attach(struct usb_device *device);
void usb_hub_detach(struct usb_device *device);
void usb_hubs_look(void);
bool usb_hub_connected(const struct usb_port *port);
int usb_hub_reset(const struct usb_port *port);
/* Its port counts as changed. Locked. */
void usb_hub_look_again_locked(struct usb_device *device, uint8_t port);

/* transfer.c. usb_submit() of one that is valid; with *raise, usb_raise() is to be called after.
 * Locked. */
int usb_submit_locked(struct usb_transfer *transfer, bool *raise);

/* The transfers of a list have ended, their results are there. Bottom half, or the call that ends
 * them; not locked. */
void usb_end(struct usb_transfer *list);

/* Wakes the host's thread. Thread or bottom half, not locked. */
void usb_work(void);

/* The bottom half works for the transfer's client, too. Locked; true: usb_raise() is to be called
 * when that is over. */
bool usb_client_locked(struct usb_transfer *transfer);
void usb_raise(void);

/* Place of the thread for which the bottom half is to run. Interrupts off, or an interrupt's
 * handler: no thread is created meanwhile. O(threads). */
uint8_t usb_client_place_locked(void);

#endif
