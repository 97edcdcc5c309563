"""Parts of worlds: what can be wired to a board. One class per file, listed here."""

from takt.parts.ad5171 import Ad5171
from takt.parts.ad5206 import Ad5206
from takt.parts.ad7298 import Ad7298
from takt.parts.base import Carrier, Part, Wire
from takt.parts.button import Button
from takt.parts.cy8c9540a import Cy8c9540a
from takt.parts.gps_receiver import GpsReceiver
from takt.parts.hc_sr04 import HcSr04
from takt.parts.i2c_fault import I2cFault
from takt.parts.i2c_target import I2cTarget
from takt.parts.led import Led
from takt.parts.line_follower import LineFollower
from takt.parts.potentiometer import Potentiometer
from takt.parts.random_edges import RandomEdges
from takt.parts.rover import Rover
from takt.parts.serial_terminal import SerialTerminal
from takt.parts.servo import Servo
from takt.parts.square_wave import SquareWave
from takt.parts.usb_can import UsbCan

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
        Led,
        LineFollower,
        Potentiometer,
        RandomEdges,
        Rover,
        SerialTerminal,
        Servo,
        SquareWave,
        UsbCan,
    )
}

__all__ = ["PARTS", "Carrier", "Part", "Wire"]
