#include "usb_fake.h"

#include <cstring>
#include <takt/isr.h>
#include <takt/port.h>
#include <takt/time.h>

FakeUsb *fake_usb;

namespace {
enum { TICK_US = 25, PLACE_OF_NOBODY = 255 };

uint64_t now_ns()
{
    return sim_now() * 1000;
}
}

extern "C" const struct usb_driver *const __start_takt_usb_drivers[];
extern "C" const struct usb_driver *const __stop_takt_usb_drivers[];

FakeUsb::FakeUsb(Program &program) : program_(program)
{
    fake_usb = this;
    order_ = TAKT_SEM_INIT(0);
    program_.bottom_half([this] {
        for (;;) {
            takt_io_wait(&program_.io(0));
            service();
        }
    }, 1, 10);
    interrupt_at(TICK_US, [this] { tick(); });
}

FakeUsb::~FakeUsb()
{
    fake_usb = nullptr;
}

struct usbcan *FakeUsb::device(uint32_t kind, std::function<void(usbcan_settings &)> set)
{
    usbcan_settings settings;
    usbcan_defaults(&settings, kind);
    if (set)
        set(settings);
    memory_.emplace_back(usbcan_size() / 8 + 1);
    auto core = reinterpret_cast<struct usbcan *>(memory_.back().data());
    if (usbcan_init(core, &settings) != 0)
        abort();
    usbcan_plug(core, 0, 0);
    return core;
}

/* What a controller does by itself: no CPU time. */
void FakeUsb::tick()
{
    takt_isr_enter();
    for (auto &plugged : plugged_)
        move(*plugged);
    if (sim_now() % USB_SERVICE_US == 0 && !ended_.empty()) {
        uint8_t place = PLACE_OF_NOBODY;
        for (auto transfer : ended_) {
            uint8_t of = takt_place_of(transfer->client);
            place = of < place ? of : place;
        }
        takt_io_raise_isr(&program_.io(0), place);
    }
    takt_io_isr_exit(&program_.io(0), 1);
    interrupt_at(sim_now() + TICK_US, [this] { tick(); });
}

static int code_of(int result)
{
    switch (result) {
    case USBCAN_STALL:
        return TAKT_EREFUSED;
    case USBCAN_ERROR:
    case USBCAN_BABBLE:
        return TAKT_EBUS;
    case USBCAN_GONE:
        return TAKT_EGONE;
    }
    return result;
}

static int moved(struct usbcan *core, struct usb_transfer *t)
{
    uint8_t nothing;
    auto data = t->data != nullptr ? static_cast<uint8_t *>(t->data) : &nothing;
    if (t->endpoint->address == 0) {
        int got = usbcan_control(core, now_ns(), reinterpret_cast<uint8_t *>(&t->setup), data,
                                 t->setup.length);
        return got >= 0 && (t->setup.request_type & USB_IN) == 0 ? t->setup.length : got;
    }
    if ((t->endpoint->address & USB_IN) != 0)
        return usbcan_in(core, now_ns(), t->endpoint->address, data, t->length);
    int taken = usbcan_out(core, now_ns(), t->endpoint->address, data + t->moved,
                           t->length - t->moved);
    if (taken < 0)
        return taken;
    t->moved += static_cast<uint32_t>(taken);
    return t->moved == t->length ? static_cast<int>(t->moved) : USBCAN_NAK;
}

void FakeUsb::move(Plugged &plugged)
{
    for (auto &queue : plugged.queues) {
        while (!queue.empty()) {
            struct usb_transfer *t = queue.front();
            int result = moved(plugged.core, t);
            if (result == USBCAN_NAK)
                break;
            queue.pop_front();
            end(t, result < 0 ? code_of(result) : result);
            if (result >= 0 || t->endpoint->address == 0)
                continue;
            t->endpoint->state = USB_HALTED;
            for (; !queue.empty(); queue.pop_front())
                end(queue.front(), code_of(result));
        }
    }
}

void FakeUsb::end(struct usb_transfer *transfer, int result)
{
    transfer->result = result;
    if (result > 0)
        transfer->moved = static_cast<uint32_t>(result);
    ended_.push_back(transfer);
}

void FakeUsb::service()
{
    while (true) {
        port_irq_t irq = port_irq_save();
        struct usb_transfer *t = ended_.empty() ? nullptr : ended_.front();
        if (t != nullptr)
            ended_.pop_front();
        port_irq_restore(irq);
        if (t == nullptr)
            return;
        sim_consume(2);
        t->at = takt_now();
        t->busy = false;
        if (t->done != nullptr)
            t->done(t);
        takt_sem_signal(&t->wake);
    }
}

FakeUsb::Plugged *FakeUsb::find(const struct usb_endpoint *endpoint)
{
    for (auto &plugged : plugged_)
        if (&plugged->device == endpoint->device)
            return plugged.get();
    return nullptr;
}

int FakeUsb::submit(struct usb_transfer *t)
{
    port_irq_t irq = port_irq_save();
    Plugged *plugged = find(t->endpoint);
    int result = TAKT_OK;
    if (t->busy)
        result = TAKT_EAGAIN;
    else if (plugged == nullptr || t->endpoint->state == USB_CLOSED)
        result = TAKT_EGONE;
    else if (t->endpoint->state == USB_HALTED)
        result = TAKT_EREFUSED;
    else {
        t->busy = true;
        t->moved = 0;
        t->wake = TAKT_SEM_BINARY_INIT(0);
        t->client = takt_thread_at(takt_self());
        uint8_t a = t->endpoint->address;
        plugged->queues[a == 0 ? 0 : (a & USB_IN) != 0 ? 1 : 2].push_back(t);
        submitted++;
    }
    port_irq_restore(irq);
    return result;
}

void FakeUsb::cancel(struct usb_transfer *t)
{
    port_irq_t irq = port_irq_save();
    for (auto &plugged : plugged_)
        for (auto &queue : plugged->queues)
            for (auto at = queue.begin(); at != queue.end(); ++at)
                if (*at == t) {
                    queue.erase(at);
                    end(t, TAKT_ETIMEOUT);
                    port_irq_restore(irq);
                    return;
                }
    port_irq_restore(irq);
}

int FakeUsb::clear_halt(struct usb_endpoint *endpoint)
{
    const struct usb_setup setup = {0x02, 1, 0, endpoint->address, 0};
    int result = usb_control(endpoint->device, &setup, nullptr, USB_CONTROL_US);
    if (result >= 0)
        endpoint->state = USB_OPEN;
    return result < 0 ? result : TAKT_OK;
}

void FakeUsb::plug_at(uint64_t us, struct usbcan *core, uint8_t port)
{
    orders_.push_back({us, core, true, port});
    interrupt_at(us, [this] { takt_sem_signal_isr(&order_); });
}

void FakeUsb::pull_at(uint64_t us, struct usbcan *core)
{
    orders_.push_back({us, core, false, 0});
    interrupt_at(us, [this, core] {
        usbcan_plug(core, now_ns(), 0);
        for (auto &plugged : plugged_)
            if (plugged->core == core) {
                plugged->in.state = plugged->out.state = plugged->device.control.state = USB_CLOSED;
                for (auto &queue : plugged->queues)
                    for (; !queue.empty(); queue.pop_front())
                        end(queue.front(), TAKT_EGONE);
            }
        takt_sem_signal_isr(&order_);
    });
}

void FakeUsb::host_thread()
{
    for (;;) {
        takt_sem_wait(&order_);
        Order order = orders_.front();
        orders_.pop_front();
        if (order.plug)
            plug(order);
        else
            pull(order);
    }
}

static struct usb_endpoint endpoint_of(struct usb_device &device, uint8_t address, uint8_t type,
                                       uint16_t packet)
{
    struct usb_endpoint made = {};
    made.device = &device;
    made.address = address;
    made.type = type;
    made.per_interval = 1;
    made.max_packet = packet;
    made.state = USB_OPEN;
    return made;
}

void FakeUsb::plug(const Order &order)
{
    auto made = std::make_unique<Plugged>();
    Plugged &p = *made;
    uint8_t descriptor[18], get[8] = {0x80, 6, 0, 1, 0, 0, 18, 0};
    const uint8_t set[8] = {0x00, 9, 1, 0, 0, 0, 0, 0};
    usbcan_plug(order.core, now_ns(), 1);
    usbcan_control(order.core, now_ns(), get, descriptor, sizeof descriptor);
    usbcan_control(order.core, now_ns(), set, descriptor, 0);
    p = {};
    p.core = order.core;
    p.device.vendor = static_cast<uint16_t>(descriptor[8] | descriptor[9] << 8);
    p.device.product = static_cast<uint16_t>(descriptor[10] | descriptor[11] << 8);
    p.device.root_port = order.port;
    p.device.interface_count = 1;
    uint8_t in = p.device.vendor == 0x0BFD ? 0x82 : 0x81;
    p.device.control = endpoint_of(p.device, 0, USB_CONTROL, 64);
    p.in = endpoint_of(p.device, in, USB_BULK, 512);
    p.out = endpoint_of(p.device, 2, USB_BULK, 512);
    port_irq_t irq = port_irq_save();
    plugged_.push_back(std::move(made));
    port_irq_restore(irq);
    for (auto driver = __start_takt_usb_drivers; driver < __stop_takt_usb_drivers; driver++)
        if ((*driver)->matches(&p.device, &p.device.interfaces[0])) {
            attached = (*driver)->attach(&p.device, &p.device.interfaces[0]);
            p.driver = attached == TAKT_OK ? *driver : nullptr;
        }
}

void FakeUsb::pull(const Order &order)
{
    for (size_t i = 0; i < plugged_.size(); i++) {
        Plugged &p = *plugged_[i];
        if (p.core != order.core)
            continue;
        while (true) { /* until every transfer has ended */
            port_irq_t irq = port_irq_save();
            bool busy = !ended_.empty();
            port_irq_restore(irq);
            if (!busy)
                break;
            takt_sleep(USB_SERVICE_US);
        }
        if (p.driver != nullptr)
            p.driver->detach(&p.device, &p.device.interfaces[0]);
        port_irq_t irq = port_irq_save();
        plugged_.erase(plugged_.begin() + static_cast<long>(i));
        port_irq_restore(irq);
        return;
    }
}
