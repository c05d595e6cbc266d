package io.faultline.agent.host;

import jdk.jfr.Recording;

/** Starts flight recordings. */
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
}
