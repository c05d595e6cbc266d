package io.faultline.broker.fuzz;

/** The target of the fuzzer, which calls these methods by their names. */
public final class BrokerFuzzer {

    private static FuzzSession session;

    private BrokerFuzzer() {}

    /**
     * Starts the broker.
     *
     * @throws Exception if it does not start
     */
    public static void fuzzerInitialize() throws Exception {
        session = new FuzzSession();
    }

    /**
     * Sends what an input stands for.
     *
     * @param input the input
     * @throws Exception if the broker cannot be reached
     */
    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        session.run(input);
    }

    /**
     * Checks that the broker is as it was, stops it, and writes the report.
     *
     * @throws Exception if the report cannot be written
     */
    public static void fuzzerTearDown() throws Exception {
        session.end();
    }
}
