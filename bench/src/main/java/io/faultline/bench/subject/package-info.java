/**
 * A client under test in a process of its own, so that it can be frozen and killed, and its sockets and threads counted: a producer at a fixed rate that waits for nobody, a
 * consumer with assigned partitions and the members of a group. What happens in it is printed as lines of JSON ({@link io.faultline.bench.subject.Journal}) and gathered on
 * the other side in a {@link io.faultline.bench.subject.Ledger}.
 */
package io.faultline.bench.subject;
