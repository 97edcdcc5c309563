/*
 * USB host: what class drivers see of devices, and the contract between them and the controller.
 *
 *   class driver   matches, attach, detach    usb_submit, usb_control, ...   done()
 *                     ^                          |                              ^
 *   host thread ------+ enumerates, hubs         v                              |
 *   (usb_devices)                          transfer rings --> controller --> bottom half (usb)
 *
 * Two threads of the host work beside those of class drivers. `usb_devices` (Main VCPU) finds
 * devices, asks class drivers whether they want them and tells them when they are gone. The bottom
 * half `usb` (I/O VCPU, by default 1 %) ends transfers, at most once in USB_SERVICE_US; in between
 * the controller does not interrupt. It competes with the priority and period of the most urgent
 * thread that has a transfer on its way (Golchin, Cheng and West 2018, III-B).
 *
 * Nothing is allocated; what does not fit into the bounds below is refused and counted.
 * Addresses are USB's: bit 7 of an endpoint's address says IN. Time is in us.
 */
#ifndef TAKT_USB_HOST_H
#define TAKT_USB_HOST_H

#include <takt/io.h>
#include <takt/sem.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bounds; each may be overridden with -D. */
#ifndef USB_DEVICES
#define USB_DEVICES 16 /* at one time, hubs included */
#endif
#ifndef USB_ENDPOINTS
#define USB_ENDPOINTS 64 /* of all devices together, without the control endpoints */
#endif
#ifndef USB_INTERFACES
#define USB_INTERFACES 8 /* of one device */
#endif
#ifndef USB_CONFIGURATION_BYTES
#define USB_CONFIGURATION_BYTES 512 /* of descriptors of one device */
#endif
#define USB_LENGTH_MAX 65536u  /* bytes of a transfer; control 4096 */
#define USB_CONTROL_MAX 4096u
#define USB_PACKETS_MAX 16u    /* of an isochronous transfer */
#define USB_SERVICE_US 1000u   /* of the bottom half: T_usb of the paper */
#define USB_BULK_REST  8u      /* packets a ms of a bulk endpoint beside reserved ones */
#define USB_CONTROL_US 1000000u /* a timeout that suits control transfers */

enum usb_speed { USB_FULL = 1, USB_LOW, USB_HIGH, USB_SUPER, USB_SUPER_PLUS };

enum usb_type { USB_CONTROL, USB_ISOCHRONOUS, USB_BULK, USB_INTERRUPT };

#define USB_IN 0x80u /* in an endpoint's address, and in usb_setup.request_type */

struct usb_device;
struct usb_transfer;

/* One endpoint of an interface's current alternate setting, open as long as that is. */
struct usb_endpoint {
    struct usb_device *device;
    uint8_t address;      /* 0 for the control endpoint */
    uint8_t type;         /* enum usb_type */
    uint8_t interface;    /* number of the interface it belongs to */
    uint8_t per_interval; /* packets in a service interval, 1..48; 1 unless periodic */
    uint16_t max_packet;  /* bytes */
    uint32_t interval_us; /* periodic endpoints: 125 us times a power of two; all else 0 */
    /* the rest is the host's, under the kernel's lock */
    uint8_t state; /* enum usb_endpoint_state */
    uint8_t burst; /* packets beyond the first in a SuperSpeed burst */
    uint16_t limit;    /* bulk: packets in every_us, see usb_reserve(); 0: any number */
    uint32_t every_us;
    struct xhci_endpoint *ring;
};

enum usb_endpoint_state {
    USB_CLOSED, /* no endpoint, or its device is gone: TAKT_EGONE */
    USB_OPEN,   /* takes transfers */
    USB_HALTED, /* an error stopped it: refuses until usb_clear_halt() */
};

struct usb_interface {
    uint8_t number, alternate; /* bInterfaceNumber, bAlternateSetting */
    uint8_t class_code, subclass, protocol;
    uint8_t endpoint_count;
    uint16_t descriptor;     /* offset of its descriptor in the configuration */
    const struct usb_driver *driver; /* NULL: no driver wants it */
    void *user;              /* the driver's */
};

/* What is fixed when a driver sees a device. It stays valid until usb_release(). */
struct usb_device {
    uint16_t vendor, product, version; /* idVendor, idProduct, bcdDevice */
    uint8_t class_code, subclass, protocol;
    uint8_t speed;        /* enum usb_speed */
    uint8_t root_port;    /* 1.. */
    uint8_t hub_port;     /* 1.. behind a hub, else 0 */
    uint8_t configuration_value;
    uint8_t interface_count;
    struct usb_interface interfaces[USB_INTERFACES];
    uint16_t configuration_bytes; /* of well-formed descriptors */
    uint8_t configuration[USB_CONFIGURATION_BYTES];
    struct usb_endpoint control;
    struct usb_device *hub; /* it hangs on, or NULL */
    /* the rest is the host's */
    uint8_t state; /* enum usb_device_state */
    uint8_t slot;  /* the controller's number for it */
    uint8_t users; /* interfaces not released */
    struct xhci *controller;
};

/* Standard device requests' header, as on the wire (USB 2.0, 9.3). */
struct usb_setup {
    uint8_t request_type, request;
    uint16_t value, index, length;
};

/* A packet of an isochronous transfer: `length` bytes follow those of the packet before. */
struct usb_packet {
    uint16_t length;
    uint16_t moved; /* bytes */
    int result;     /* TAKT_OK, TAKT_EBUS: lost or broken, TAKT_ETIMEOUT: missed its interval */
};

/*
 * A transfer. It lies anywhere and belongs to the host from usb_submit() until it has ended: done()
 * is called, or without that usb_wait() returns. The same is true of its data. Zero is a good
 * initial value for what is not named.
 */
struct usb_transfer {
    /* the caller's */
    struct usb_endpoint *endpoint;
    void *data;      /* in memory that the controller reaches; on pc all memory */
    uint32_t length; /* 0..USB_LENGTH_MAX; a transfer IN ends early with a short packet */
    struct usb_setup setup;     /* control endpoints only; its length is the transfer's */
    struct usb_packet *packets; /* isochronous endpoints only, packet_count of them */
    uint8_t packet_count;       /* 1..USB_PACKETS_MAX */
    void (*done)(struct usb_transfer *transfer); /* or NULL; see usb_submit() */
    void *user;
    /* results */
    volatile bool busy; /* on its way */
    int result;         /* bytes moved, or TAKT_E... */
    uint32_t moved;     /* bytes, in case of an error, too */
    takt_time_t at;     /* when the bottom half found it done */
    /* the rest is the host's */
    uint8_t stage; /* enum usb_stage */
    uint8_t first, entries; /* of the ring: what is there now */
    uint8_t room;           /* all of it together */
    uint8_t packets_done, in_ring;
    uint16_t asked; /* packets that what is in the ring may take; of endpoints with a limit */
    uint32_t until; /* bytes that have been moved or are in the ring */
    struct takt_sem wake;
    struct usb_transfer *next;
    const struct takt_thread *client; /* the thread that submitted it */
};

/*
 * Puts a transfer on its way. The bottom half ends it: it fills in the results, sets `busy` false,
 * and calls done(), or wakes the thread that is in usb_wait() or will come there: one of both for
 * each submission. done() runs in the bottom half, on its budget (where a device goes, in the
 * host's thread): it must not block, and may submit this transfer again or another. Transfers of an
 * endpoint are done in the order of submission, as many wait as its ring has room for: at least 16
 * of up to 4096 bytes, 60 that cross no border of 64 KB.
 *
 * When an error stops the endpoint (STALL, babble, three errors on the wire) this transfer and all
 * that wait behind it end with that error, and the endpoint is USB_HALTED. The control endpoint and
 * isochronous ones go on by themselves. When the device goes all end with TAKT_EGONE.
 *
 * Threads that hold no mutex, and done(). O(length / 64 KB + packets + threads).
 * TAKT_OK; TAKT_EAGAIN: busy already; TAKT_EOVERFLOW: the ring is full; TAKT_EGONE; TAKT_EREFUSED:
 * halted; TAKT_EINVAL: lengths, packets, no data; TAKT_ECONTEXT.
 */
int usb_submit(struct usb_transfer *transfer);

/*
 * Takes a transfer back: it ends with TAKT_ETIMEOUT, unless it has ended by itself before. Does not
 * wait for that. Threads and done(). TAKT_OK, also if it is not busy; TAKT_ECONTEXT.
 */
int usb_cancel(struct usb_transfer *transfer);

/*
 * Waits until the transfer, which has no done(), has ended. After `timeout_us`
 * (1..TAKT_DURATION_MAX) it is cancelled, and the call returns when that is done: after a few
 * services, or 1 s if the controller does not answer. One thread waits. Thread, may block. The
 * transfer's result; TAKT_EINVAL, TAKT_ECONTEXT.
 */
int usb_wait(struct usb_transfer *transfer, uint32_t timeout_us);

/*
 * usb_submit() and usb_wait() in one. Control: `setup->length` bytes at `data`. Else: `length`
 * bytes. Thread, may block. Bytes moved, or what both return.
 */
int usb_control(struct usb_device *device, const struct usb_setup *setup, void *data,
                uint32_t timeout_us);
int usb_move(struct usb_endpoint *endpoint, void *data, uint32_t length, uint32_t timeout_us);

/*
 * Makes a halted endpoint, or one whose device is to forget where it was, take transfers again:
 * both sides start with the first of their two packet numbers. Its transfers must have ended. The
 * device is told up to three times; where that or the controller fails, the device is reset: for
 * its drivers it goes and comes again, and this and all other calls return TAKT_EGONE. Thread, may
 * block. TAKT_OK; TAKT_EAGAIN: transfers on their way; TAKT_EINVAL: the control endpoint;
 * TAKT_EGONE; TAKT_ECONTEXT.
 */
int usb_clear_halt(struct usb_endpoint *endpoint);

/*
 * Reserves time on the bus for a bulk endpoint: transfers of `bytes` (a whole packet, or part of
 * one, counts as one) in `every_us`, each over `within_us` after the controller could begin with
 * it, if the device is ready; 0 bytes: no longer. Slots of the bus are 125 us, on one of full speed
 * 1 ms; 1..1024 of them for both times.
 *
 * The host keeps to it: what is in the endpoint's ring, and what has been there in the last
 * `every_us` before a service, is at most `bytes`; the rest of a longer transfer, and transfers
 * behind it, wait for a later service (USB_SERVICE_US). The same is true of all other bulk
 * endpoints of the controller's ports of that speed, for USB_BULK_REST packets in USB_SERVICE_US,
 * as long as there is a reservation; their devices are refused if that does not fit. What was in
 * the rings before is moved first. Neither moves what is live. Periodic endpoints are asked by the
 * controller in micro-frames of its own choice, so they count in each.
 *
 * Thread, may block. TAKT_OK; TAKT_EADMIT: the bus has not the time, what was reserved before
 * stays; TAKT_EINVAL: not a bulk endpoint, or numbers out of range; TAKT_EGONE; TAKT_ECONTEXT.
 */
int usb_reserve(struct usb_endpoint *endpoint, uint32_t bytes, uint32_t every_us,
                uint32_t within_us);

/*
 * The open endpoint of an address, or the first of an interface with a type and a direction
 * (0 or USB_IN). NULL if there is none. Thread. O(USB_ENDPOINTS).
 */
struct usb_endpoint *usb_endpoint_at(struct usb_device *device, uint8_t address);
struct usb_endpoint *usb_endpoint_of(struct usb_device *device, uint8_t interface,
                                     enum usb_type type, uint8_t direction);

/*
 * Another alternate setting of an interface. Endpoints of the one before are closed (what is on its
 * way ends with TAKT_EGONE), those of this one opened. Thread, may block. TAKT_EINVAL: there is no
 * such; TAKT_EADMIT: the bus has not the time; TAKT_ENOSPACE; else as usb_control(). After an error
 * other than TAKT_EINVAL the interface has no endpoints until another setting is taken.
 */
int usb_set_interface(struct usb_device *device, uint8_t interface, uint8_t alternate);

/* First descriptor of a type at or after offset `from` in the device's configuration and before the
 * next interface's: its offset, or TAKT_EINVAL. For descriptors of classes. Either context. */
int usb_descriptor(const struct usb_device *device, uint16_t from, uint8_t type);

/*
 * A class driver. All three are called in the host's thread, one after another, and hold up other
 * devices while they last; they may use whatever blocks. They are asked for every interface of a
 * device in its default setting, in the order of linking; the first that attaches gets it.
 */
struct usb_driver {
    const char *name;
    /* Does it want this interface? Looks at descriptors only. */
    bool (*matches)(const struct usb_device *device, const struct usb_interface *interface);
    /* The interface is its own. TAKT_OK, else other drivers are asked. */
    int (*attach)(struct usb_device *device, struct usb_interface *interface);
    /* The device is gone: every transfer has ended, all calls return TAKT_EGONE. usb_release() is
     * to be called here or later, when no thread of the driver refers to the device any more. */
    void (*detach)(struct usb_device *device, struct usb_interface *interface);
};

/* Registers a driver, in the file that defines it. */
#define USB_DRIVER(id)                                                                             \
    static const struct usb_driver *const usb_driver_##id                                          \
        __attribute__((section("takt_usb_drivers"), used)) = &id

/* A driver that was detached from an interface has no more to do with the device. Once for each
 * detach(). Thread. O(1). */
void usb_release(struct usb_device *device);

/* What has happened since the start; for reports and tests. Counters wrap. */
struct usb_counters {
    uint32_t attached, detached; /* devices, hubs included */
    uint32_t refused;    /* devices: no room, or malformed descriptors */
    uint32_t failed;     /* devices that did not answer as they should */
    uint32_t transfers;  /* ended well */
    uint32_t stalls;     /* STALL answers */
    uint32_t babbles;    /* more data than asked for */
    uint32_t errors;     /* on the wire, after the controller's own retries */
    uint32_t timeouts;   /* transfers cancelled by usb_wait() */
    uint32_t services;   /* runs of the bottom half that looked at an event ring */
    uint32_t strange;    /* events that name nothing we know */
    uint32_t ring_full;  /* event ring full: the controller held events back */
    uint32_t reset_devices; /* whose halted endpoints could not be cleared */
    uint32_t resets;     /* of a controller that did not answer or reported an error */
};
extern struct usb_counters usb_counters;

/* Controllers and devices that cannot be served, and why: what has been told of them on the
 * console, a line each, as far as there is room. Behind the last is an empty one. For reports and
 * tests. */
enum { USB_REFUSED = 8, USB_REFUSED_BYTES = 128 };
extern char usb_refused[USB_REFUSED][USB_REFUSED_BYTES];

#ifdef __cplusplus
}
#endif

#endif
