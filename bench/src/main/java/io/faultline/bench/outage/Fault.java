package io.faultline.bench.outage;

/** What makes an outage. Its first three methods are called once each, in this order. */
interface Fault {

    /** Begins the outage. */
    void begin() throws Exception;

    /** Half of the outage is over. */
    default void halfway() throws Exception {}

    /** Takes the cause away. Brokers may still be starting when this returns. */
    void heal() throws Exception;

    /** What was done, where that is left to chance; "" where it is not. */
    default String summary() {
        return "";
    }
}
