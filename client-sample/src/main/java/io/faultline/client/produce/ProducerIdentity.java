package io.faultline.client.produce;

/**
 * As whom a partition is produced to.
 *
 * @param producerId given out by the cluster
 * @param epoch chosen here, one more each time that numbering begins again
 */
record ProducerIdentity(long producerId, short epoch) {

    /** Leaves one in reserve, as brokers do. */
    private static final short LAST_EPOCH = Short.MAX_VALUE - 1;

    boolean isExhausted() {
        return epoch >= LAST_EPOCH;
    }

    ProducerIdentity bumped() {
        return new ProducerIdentity(producerId, (short) (epoch + 1));
    }
}
