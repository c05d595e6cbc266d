package io.faultline.bench.startup;

import java.io.IOException;

/** A program that does nothing: whatever it takes, the JVM and its agents take. */
public final class EmptyMain {

    /** What it prints when it stays. */
    static final String STAYS = "stays";

    private EmptyMain() {}

    /**
     * Returns, or says that it stays, and does until standard input ends, if there is an argument.
     *
     * @param arguments any
     * @throws IOException if standard input cannot be read
     */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length > 0) {
            System.out.println(STAYS);
            while (System.in.read() >= 0) {
                // stay
            }
        }
    }
}
