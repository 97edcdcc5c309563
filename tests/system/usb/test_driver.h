/*
 * The driver of a test program: any() says for which interfaces, attach() is called with each.
 */
static bool any(const struct usb_device *device, const struct usb_interface *interface);
static int attach(struct usb_device *device, struct usb_interface *interface);

static void detach(struct usb_device *device, struct usb_interface *interface)
{
    (void)interface;
    usb_release(device);
}

static const struct usb_driver driver = {"test", any, attach, detach};
USB_DRIVER(driver);
