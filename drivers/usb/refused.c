/*
 * What cannot be served is told, once: a line on the console, which is kept for reports. A device
 * on a port is refused once as long as nothing else is plugged in there (enumerate.c).
 */
#include "core.h"

#include <takt/console.h>

#include <stdio.h>
#include <string.h>

char usb_refused[USB_REFUSED][USB_REFUSED_BYTES];

static void put(const char *text)
{
    while (*text)
        board_console_put(*text++);
}

/* Keeps the line, if there is room; false: it has been told before. Beyond that each line is told:
 * enumerate.c refuses a device once. */
static bool keep(const char *line)
{
    for (size_t i = 0; i < USB_REFUSED; i++) {
        if (usb_refused[i][0] == '\0') {
            (void)strcpy(usb_refused[i], line);
            return true;
        }
        if (strcmp(usb_refused[i], line) == 0)
            return false;
    }
    return true;
}

void usb_refuse(const char *what, const char *why)
{
    char line[USB_REFUSED_BYTES];
    (void)snprintf(line, sizeof line, "%s is not served: %s", what, why);
    if (!keep(line))
        return;
    put("\r\ntakt: USB: ");
    put(line);
    put("\r\n");
}

static const char *why_not(int result)
{
    switch (result) {
    case TAKT_EINVAL:
        return "its descriptors are malformed";
    case TAKT_ENOSPACE:
        return "there is no room left for it, its endpoints or its descriptors";
    case TAKT_EADMIT:
        return "the bus has not the time that it asks for";
    default:
        return "it does not answer as it should";
    }
}

void usb_refuse_device(const struct usb_port *port, const struct usb_name *name, int result)
{
    char what[USB_REFUSED_BYTES / 2], behind[8] = "";
    if (port->hub_port != 0)
        (void)snprintf(behind, sizeof behind, ".%u", port->hub_port);
    if (name->vendor == 0)
        (void)snprintf(what, sizeof what, "a device on port %u%s", port->root_port, behind);
    else
        (void)snprintf(what, sizeof what, "device %04x:%04x on port %u%s", name->vendor,
                       name->product, port->root_port, behind);
    usb_refuse(what, result == TAKT_OK ? "no driver of the program wants it" : why_not(result));
}
