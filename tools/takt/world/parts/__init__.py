"""Parts of worlds: what can be wired to a board. One class per file, listed here."""

from takt.world.parts.ad5171 import Ad5171
from takt.world.parts.ad5206 import Ad5206
from takt.world.parts.ad7298 import Ad7298
from takt.world.parts.base import Carrier, Part, Wire
from takt.world.parts.button import Button
from takt.world.parts.cy8c9540a import Cy8c9540a
from takt.world.parts.displays.lcd1602 import Lcd1602
from takt.world.parts.displays.neopixel import Neopixel
from takt.world.parts.displays.ssd1306 import Ssd1306
from takt.world.parts.gps_receiver import GpsReceiver
from takt.world.parts.hc_sr04 import HcSr04
from takt.world.parts.i2c_fault import I2cFault
from takt.world.parts.i2c_target import I2cTarget
from takt.world.parts.led import Led
from takt.world.parts.line_follower import LineFollower
from takt.world.parts.net.w5500 import W5500
from takt.world.parts.potentiometer import Potentiometer
from takt.world.parts.random_edges import RandomEdges
from takt.world.parts.rover import Rover
from takt.world.parts.sd.sd_card import SdCard
from takt.world.parts.serial_terminal import SerialTerminal
from takt.world.parts.servo import Servo
from takt.world.parts.square_wave import SquareWave
from takt.world.parts.usb_can import UsbCan

PARTS: dict[str, type[Part]] = {
    part.kind: part
    for part in (
        Ad5171,
        Ad5206,
        Ad7298,
        Button,
        Cy8c9540a,
        GpsReceiver,
        HcSr04,
        I2cFault,
        I2cTarget,
        Lcd1602,
        Led,
        LineFollower,
        Neopixel,
        Potentiometer,
        RandomEdges,
        Rover,
        SdCard,
        SerialTerminal,
        Servo,
        SquareWave,
        Ssd1306,
        UsbCan,
        W5500,
    )
}

__all__ = ["PARTS", "Carrier", "Part", "Wire"]
