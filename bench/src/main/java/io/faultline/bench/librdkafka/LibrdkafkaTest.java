package io.faultline.bench.librdkafka;

/**
 * One of librdkafka's tests, or a part of one.
 *
 * @param name its name, such as {@code 0011_produce_batch}
 * @param part the function that is run of it, null for all
 * @param scenario which configuration of a broker it is for, as librdkafka calls it
 */
record LibrdkafkaTest(String name, String part, String scenario) {

    /** As it is called in tables. */
    String title() {
        return part == null ? name : name + "/" + part;
    }

    @Override
    public String toString() {
        return title();
    }
}
