/**
 * The watchdog timers: every wait of the client has an owner and a deadline, and both are here.
 *
 * <p>A wait is {@linkplain io.faultline.client.watchdog.Watchdogs#arm armed} with a {@link io.faultline.client.watchdog.Watchdog}
 * that names it, a subject, a {@link io.faultline.client.watchdog.Deadline} and what moves the state machine on. What is
 * awaited disarms it. If nothing comes, the deadline does: the event loop never sleeps past the next one, so a watchdog fires
 * on silence, with no traffic at all. A fired watchdog is a {@link io.faultline.client.watchdog.Trip}: counted, logged once,
 * told to listeners, and always followed by its move.
 *
 * <p>Deadlines are on a {@link io.faultline.client.watchdog.MonotonicClock}, which tests drive; all arithmetic saturates. The
 * wall clock is nowhere in here, so a jump of it changes nothing but the timestamps of records.
 *
 * <p>Two kinds of wait are not in the loop's hands and so not armed there, but trip in the same way through
 * {@link io.faultline.client.watchdog.Trips}: a caller blocked in {@code flush} or {@code close}, which waits on its own thread,
 * and the loop itself, which a thread of its own watches.
 */
package io.faultline.client.watchdog;
