package io.faultline.bench.detection;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * What a flight recording says of re-reads.
 *
 * @param count how many there were
 * @param directories in how many directories
 * @param atOnce how many began before an earlier one of the same directory had ended
 */
record Rereads(long count, int directories, long atOnce) {

    private static final String CHECK = "io.faultline.Check";

    private record Span(Instant began, Instant ended) {}

    /** Of a recording of every check. */
    static Rereads of(Path recording) throws IOException {
        Map<String, List<Span>> byDirectory = new HashMap<>();
        try (RecordingFile events = new RecordingFile(recording)) {
            while (events.hasMoreEvents()) {
                RecordedEvent event = events.readEvent();
                if (event.getEventType().getName().equals(CHECK)) {
                    byDirectory
                            .computeIfAbsent(event.getString("directory"), none -> new ArrayList<>())
                            .add(new Span(event.getStartTime(), event.getEndTime()));
                }
            }
        }
        long count = byDirectory.values().stream().mapToLong(List::size).sum();
        long atOnce = byDirectory.values().stream().mapToLong(Rereads::atOnce).sum();
        return new Rereads(count, byDirectory.size(), atOnce);
    }

    private static long atOnce(List<Span> spans) {
        spans.sort(Comparator.comparing(Span::began));
        long atOnce = 0;
        Instant ended = Instant.MIN;
        for (Span span : spans) {
            if (span.began().isBefore(ended)) {
                atOnce++;
            }
            ended = span.ended().isAfter(ended) ? span.ended() : ended;
        }
        return atOnce;
    }
}
