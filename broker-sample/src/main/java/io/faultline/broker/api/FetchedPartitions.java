package io.faultline.broker.api;

import io.faultline.broker.log.LogEnd;
import io.faultline.broker.log.LogSlice;
import io.faultline.broker.log.Partition;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;

/** What one reading of a fetch found, and how much has come since. */
final class FetchedPartitions {

    private final List<Position> positions = new ArrayList<>();
    private final FetchResponseData response = new FetchResponseData();
    private long bytes;
    private int refused;
    private boolean diverged;

    void add(FetchableTopicResponse topic) {
        response.responses().add(topic);
    }

    void add(Partition partition, LogSlice slice, int maxBytes) {
        bytes += slice.records().sizeInBytes();
        positions.add(new Position(partition, slice.segmentBaseOffset(), slice.position(), maxBytes));
    }

    /** A partition is answered with an error. */
    void refuse() {
        refused++;
    }

    /** A partition is answered with where its log went another way. */
    void diverged() {
        diverged = true;
    }

    boolean isEmpty() {
        return positions.isEmpty() && !hasNews();
    }

    /** Says whether a partition has something to tell that is no records. */
    boolean hasNews() {
        return refused > 0 || diverged;
    }

    int refused() {
        return refused;
    }

    long bytes() {
        return bytes;
    }

    FetchResponseData response() {
        return response;
    }

    List<Partition> partitions() {
        return positions.stream().map(Position::partition).toList();
    }

    /** Says whether reading again would find at least that much, or an error, without any I/O. */
    boolean wouldFindNow(int minBytes) {
        long available = 0;
        for (Position position : positions) {
            LogEnd end;
            try {
                end = position.partition.log().end();
            } catch (ApiException offline) {
                return true;
            }
            if (end.segmentBaseOffset() != position.segmentBaseOffset || end.position() < position.position) {
                // The log was rolled or truncated: only reading can tell.
                return true;
            }
            available += Math.min(end.position() - position.position, position.maxBytes);
        }
        return available >= minBytes;
    }

    private record Position(Partition partition, long segmentBaseOffset, int position, int maxBytes) {}
}
