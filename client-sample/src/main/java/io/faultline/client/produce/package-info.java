/**
 * How records become batches, are sent, and are settled.
 *
 * <p>Callers put records into the {@code Accumulator}, which has a {@code PartitionQueue} for each partition and a
 * {@code MemoryLimit} for all. The loop takes batches out: a {@code PartitionSender} for each partition decides what is next and
 * under what number, the {@code Sender} puts one batch of each partition of a leader into a {@code ProduceCall}. A
 * {@code RecordDelivery} is settled once, by whoever comes first.
 *
 * <h2>No duplicates, no gaps, no reordering: the reasoning</h2>
 *
 * <p>A broker keeps, for each producer and partition, the epoch and the last batches. It takes a batch whose sequence follows
 * the last one in the same epoch, or is 0 in a higher one; it recognises a batch that it has got before, but only among the last
 * five, and after a restart only the very last (seen on Apache Kafka 4.4.0). An older one is answered with
 * OUT_OF_ORDER_SEQUENCE_NUMBER, exactly as one that comes too early. A producer that it does not know may begin anywhere. From
 * that follows:
 *
 * <ol>
 *   <li><b>Order on the wire.</b> Batches of a partition are in flight to one leader only, up to five, in the order of their
 *       numbers. When one of them fails, nothing is sent until all have come back; then they are sent again in their order.
 *   <li><b>The first alone.</b> Until a batch of an epoch was acked only one is in flight: a broker that does not know the
 *       producer and refuses the first batch for another reason would take the second as its first.
 *   <li><b>Doubt.</b> A batch whose attempt ended without an answer, or with one that leaves it open, is <em>in doubt</em>, and
 *       stays so until the log has been asked or an ack comes. A batch in doubt is sent again under its old number, byte for byte
 *       and alone. The answer is an ack, whether it was there or not; or OUT_OF_ORDER, which means that it is there and forgotten,
 *       or that one before it is missing. Only then the log is asked. All five together, as other clients send them, would have
 *       the broker append the fourth and fifth again under a new epoch, since it recognises only the last.
 *   <li><b>Asking the log.</b> {@code DescribeProducers} tells the last sequence that the leader has of the producer. Since it
 *       takes batches of an epoch without gaps, everything up to there is in its log and nothing behind. What is there is read
 *       back from behind the last acked offset: that gives the offsets, and proves that it is replicated, since a fetch shows
 *       nothing else. A batch that the leader has but does not show is waited for. If the leader does not know the producer, the
 *       log alone tells.
 *   <li><b>What is not there</b> may be sent under a new epoch from sequence 0. No copy of it can come late: it was refused under
 *       its old number by the leader of the moment, and once the new epoch has its first batch the old one is fenced. (A copy that
 *       still lies in the socket of a connection that we closed would have to be dealt with after a later connection's whole
 *       handshake, produce and look-up, and the pause before the look-up.)
 *   <li><b>Gaps.</b> When a batch is given up that had a number (its time was up, or the broker will never take it), the next one
 *       does not follow. That is seen by comparing its number with the end of what was acked; nobody has to remember gaps. When
 *       nothing is in flight, what was in doubt is settled first, and the rest is numbered anew in the next epoch. A late ack of
 *       the one that was given up closes the gap and no epoch is needed.
 *   <li><b>Epochs are the client's own</b>, for each partition by itself: a broker looks at nothing else, and other partitions need
 *       not stop. When they run out, or the producer is fenced, the partition goes on under a new producer id.
 *   <li><b>Another topic under the name</b> (seen by its id) knows none of our numbers, and what was in doubt went with the old
 *       one: everything is numbered anew. <b>Another cluster</b> is not followed at all.
 * </ol>
 *
 * <p>A record that is given up may be in the log: nobody knows. That is what its exception says.
 *
 * <h2>Time</h2>
 *
 * <p>Each batch has a delivery watchdog, wherever it is: waiting for a leader, for an id, in flight, in doubt. A batch that waits
 * goes on growing for a second at most, and its time counts from its last record, so that each record is given up at its own time
 * or less than a second later.
 *
 * <p>Memory goes back when the records are settled and no socket reads their bytes any more.
 */
package io.faultline.client.produce;
