"""Parts of worlds: what can be wired to a board. One class per file, listed here."""

from takt.world.parts.actuators.buzzer import Buzzer
from takt.world.parts.actuators.stepper import Stepper
from takt.world.parts.ad5171 import Ad5171
from takt.world.parts.ad5206 import Ad5206
from takt.world.parts.ad7298 import Ad7298
from takt.world.parts.base import Carrier, Part, Wire
from takt.world.parts.contacts.button import Button
from takt.world.parts.contacts.keypad import Keypad
from takt.world.parts.contacts.rotary_encoder import RotaryEncoder
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
from takt.world.parts.random_edges import RandomEdges
from takt.world.parts.rover import Rover
from takt.world.parts.sd.sd_card import SdCard
from takt.world.parts.sensors.bmp280 import Bme280, Bmp280
from takt.world.parts.sensors.dht import Dht11, Dht22
from takt.world.parts.sensors.ds18b20 import Ds18b20
from takt.world.parts.sensors.ds1307 import Ds1307
from takt.world.parts.sensors.mpu6050 import Mpu6050
from takt.world.parts.sensors.photoresistor import Photoresistor
from takt.world.parts.sensors.pir import Pir
from takt.world.parts.sensors.potentiometer import Potentiometer
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
        Bme280,
        Bmp280,
        Button,
        Buzzer,
        Cy8c9540a,
        Dht11,
        Dht22,
        Ds1307,
        Ds18b20,
        GpsReceiver,
        HcSr04,
        I2cFault,
        I2cTarget,
        Keypad,
        Lcd1602,
        Led,
        LineFollower,
        Mpu6050,
        Neopixel,
        Photoresistor,
        Pir,
        Potentiometer,
        RandomEdges,
        RotaryEncoder,
        Rover,
        SdCard,
        SerialTerminal,
        Servo,
        SquareWave,
        Ssd1306,
        Stepper,
        UsbCan,
        W5500,
    )
}

__all__ = ["PARTS", "Carrier", "Part", "Wire"]
