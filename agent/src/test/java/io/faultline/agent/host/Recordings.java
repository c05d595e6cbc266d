package io.faultline.agent.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Configuration;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/** Starts flight recordings and reads them back. */
final class Recordings {

    /** Kept, or it would end with a garbage collection. */
    private static Recording recording;

    private Recordings() {}

    static String start() {
        recording = new Recording();
        recording.enable("jdk.FileRead").withoutThreshold();
        recording.start();
        return recording.getState().toString();
    }

    /** Starts a recording with the settings of a file. */
    static String start(String settings) throws IOException, ParseException {
        recording = new Recording(Configuration.create(Path.of(settings)));
        recording.start();
        return recording.getState().toString();
    }

    static String isInitialised() {
        return String.valueOf(FlightRecorder.isInitialized());
    }

    static String knows(String name) {
        return String.valueOf(FlightRecorder.getFlightRecorder().getEventTypes().stream()
                .anyMatch(type -> type.getName().equals(name)));
    }

    /** Ends the recording: one that goes on may lose the strings of earlier chunks with each further dump. */
    static String stop() {
        recording.stop();
        return recording.getState().toString();
    }

    /** The events of a kind, each as its fields and its stack, separated by {@code ;}. */
    static String events(String name) throws IOException {
        Path dump = Files.createTempFile("faultline", ".jfr");
        try {
            recording.dump(dump);
            List<String> found = new ArrayList<>();
            for (RecordedEvent event : RecordingFile.readAllEvents(dump)) {
                if (event.getEventType().getName().equals(name)) {
                    found.add(describe(event));
                }
            }
            return Host.listed(found);
        } finally {
            Files.delete(dump);
        }
    }

    private static String describe(RecordedEvent event) {
        List<String> parts = new ArrayList<>();
        for (ValueDescriptor field : event.getFields()) {
            if (field.getTypeName().equals("java.lang.String")
                    || field.getTypeName().equals("long")) {
                parts.add(field.getName() + "=" + event.getValue(field.getName()));
            }
        }
        if (event.getStackTrace() != null) {
            for (RecordedFrame frame : event.getStackTrace().getFrames()) {
                parts.add("at=" + frame.getMethod().getType().getName() + "."
                        + frame.getMethod().getName());
            }
        }
        return String.join(";", parts);
    }
}
