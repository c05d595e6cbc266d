/**
 * Where a producer's batches go when brokers are away and memory will not do: a directory with segments of batches and a journal
 * about them.
 *
 * <p>{@code SpoolDirectory} is what is on the disk: {@code Segment} and {@code Journal}. Only {@code SpoolThread} touches it.
 * {@code Spool} is how the loop asks for something and hears of the outcome. {@code Verdicts} tells a failing disk from a vanished
 * peer. When batches come here and how they are sent is decided in {@code produce}.
 *
 * <h2>Why nothing that was accepted is lost or doubled</h2>
 *
 * <ol>
 *   <li><b>Accepted</b> is a batch whose bytes and whose index entry in the journal are written. What is written is never changed:
 *       the numbers of the producer are in the header, which is sent from memory; its checksum is put together from that of the
 *       header and that of the records.
 *   <li><b>Before it is sent</b> for the first time under a number, cluster, topic id, producer id, epoch, sequence and the offset
 *       to look from are in the journal. So whatever may have been sent is known to have been.
 *   <li><b>One at a time</b>: of a partition one batch from here is on the wire, and its end is in the journal before the next one
 *       goes out. Newer batches of the partition queue behind. Those that were on the wire already when their time came and they were
 *       stored, five at most, are there with their numbers, one behind the other; nothing follows them until all have come back.
 *   <li><b>In doubt</b>, after a lost answer or a restart, a batch is first looked for in the log, since a broker that has forgotten
 *       the producer would take it a second time. What is not there is sent again byte for byte, so that a copy that comes late is
 *       recognised. What cannot be known, because the log or a part of it is gone, is undecided: it is kept and never sent.
 *   <li><b>Not sent yet</b> by an earlier producer: goes out under the next epoch behind what was in doubt, or under a new producer id
 *       where nothing was.
 *   <li><b>Numbered anew</b>: when a partition is, all its older numbers in the journal are void, since that is only done when none of
 *       them is in the log.
 *   <li><b>Damage</b>: bytes in the journal that are no record are its torn end, which nobody was told of, or else a gap. What was there
 *       before a gap and is not told of behind it is undecided, and batches that a gap should tell of are found in the segments, where
 *       each lies behind a copy of its entry.
 * </ol>
 *
 * <p>Without {@code spool.sync=always} this holds for the end of the process, not for that of the machine.
 *
 * <h2>When the disk does not work</h2>
 *
 * <p>A disk that hangs holds up the spool's thread and those partitions that have something in there. Nobody else waits: batches from
 * files have connections of their own, and what was not begun is taken back by the watchdog. A disk that is full takes nothing
 * more, but what is in there can still be sent: room for that is made in the journal ahead.
 */
package io.faultline.client.spool;
