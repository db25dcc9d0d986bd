# As `adjtimex --tick 9000` for a second and a half, and then as fast for as long, so that the time is right again.
beside() {
    begun c001-2
    python3 - <<'PY'
import ctypes, time

class Timex(ctypes.Structure):
    _fields_ = [("modes", ctypes.c_uint), ("before", ctypes.c_long * 10), ("tick", ctypes.c_long), ("rest", ctypes.c_char * 200)]

libc = ctypes.CDLL(None, use_errno=True)

def tick(length, for_seconds):
    timex = Timex()
    assert libc.adjtimex(ctypes.byref(timex)) >= 0
    timex.modes, timex.tick = 0x4000, length
    assert libc.adjtimex(ctypes.byref(timex)) >= 0, ctypes.get_errno()
    until = time.clock_gettime(time.CLOCK_MONOTONIC_RAW) + for_seconds
    while time.clock_gettime(time.CLOCK_MONOTONIC_RAW) < until:
        time.sleep(0.01)

try:
    tick(9_000, 1.5)
    tick(11_000, 1.5)
finally:
    tick(10_000, 0)
PY
}
