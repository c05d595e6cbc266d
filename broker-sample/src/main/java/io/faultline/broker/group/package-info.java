/**
 * Classic consumer groups: who is a member, who leads, what each was assigned, and the offsets that groups committed.
 *
 * <p>Membership lives in memory and by timers, with no thread per member or group; after a restart members join again.
 * Committed offsets lie in every log directory that is online, see {@link io.faultline.broker.group.CommittedOffsets}.
 * No I/O is done under the lock of a group, so that a slow disk expires no member.
 */
package io.faultline.broker.group;
