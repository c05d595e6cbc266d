package io.faultline.bench.startup;

import java.io.IOException;

/** A program that does nothing: whatever it takes, the JVM and its agents take. */
public final class EmptyMain {

    private EmptyMain() {}

    /**
     * Returns, or stays until standard input ends if there is an argument.
     *
     * @param arguments any
     * @throws IOException if standard input cannot be read
     */
    public static void main(String[] arguments) throws IOException {
        while (arguments.length > 0 && System.in.read() >= 0) {
            // stay
        }
    }
}
