/* Between the files of the USB schedule. */
#ifndef USB_SCHEDULE_OWN_H
#define USB_SCHEDULE_OWN_H

#include "schedule.h"

/* Is every bulk reservation served in time among the streams that are placed? */
bool usb_bulk_fits(struct usb_schedule *s);

#endif
