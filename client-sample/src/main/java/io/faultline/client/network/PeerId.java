package io.faultline.client.network;

/**
 * Whom the client has a connection to.
 *
 * @param number of the bootstrap address, or the id of the broker
 * @param role what the connection is for
 */
public record PeerId(int number, Role role) {

    /** What a connection is for. */
    public enum Role {
        /** An address from {@code bootstrap.servers}, whose broker is not known. */
        BOOTSTRAP,
        /** A broker of the cluster. */
        BROKER,
        /** The same broker as the coordinator of a group, so that no fetch in front holds up a heartbeat. */
        COORDINATOR,
        /** The same broker for batches from files, so that no disk that hangs holds up what is sent from memory. */
        FILES
    }

    /**
     * A broker.
     *
     * @param id its id
     * @return the peer
     */
    public static PeerId broker(int id) {
        return new PeerId(id, Role.BROKER);
    }

    /**
     * A broker as coordinator.
     *
     * @param id its id
     * @return the peer
     */
    public static PeerId coordinator(int id) {
        return new PeerId(id, Role.COORDINATOR);
    }

    /**
     * A broker as the receiver of batches from files.
     *
     * @param id its id
     * @return the peer
     */
    public static PeerId files(int id) {
        return new PeerId(id, Role.FILES);
    }

    static PeerId bootstrap(int index) {
        return new PeerId(index, Role.BOOTSTRAP);
    }

    @Override
    public String toString() {
        return switch (role) {
            case BOOTSTRAP -> "bootstrap server " + number;
            case BROKER -> "broker " + number;
            case COORDINATOR -> "coordinator " + number;
            case FILES -> "broker " + number + " (from files)";
        };
    }
}
