package io.faultline.bench.outage;

import io.faultline.bench.broker.BrokerNetwork;
import io.faultline.bench.broker.Brokers;
import io.faultline.bench.host.FreePorts;
import io.faultline.bench.host.NetworkNamespace;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.disk.FailingDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Where an outage takes place: brokers, and what stands between them and their clients. */
final class Stage implements AutoCloseable {

    /** How clients reach the brokers. */
    enum Access {
        /** Over the loopback. */
        DIRECT,
        /** Through a proxy before each broker. */
        PROXIES,
        /** In a network namespace. */
        NAMESPACE
    }

    private static final long DISK_SIZE = 400L << 20;

    private final Deployment deployment;
    private final TemporaryFolder folder;
    private final NetworkNamespace namespace;
    private final List<FrameProxy> proxies = new ArrayList<>();
    private FailingDisk disk;
    private Brokers brokers;

    private Stage(Deployment deployment, TemporaryFolder folder, NetworkNamespace namespace) {
        this.deployment = deployment;
        this.folder = folder;
        this.namespace = namespace;
    }

    /** Starts brokers as a scenario needs them. */
    static Stage set(Deployment deployment, Access access, boolean onFailingDisk)
            throws IOException, InterruptedException {
        Stage stage = new Stage(
                deployment,
                TemporaryFolder.named("faultline-outage"),
                access == Access.NAMESPACE ? NetworkNamespace.make() : null);
        try {
            stage.startBrokers(access, onFailingDisk);
            return stage;
        } catch (IOException | InterruptedException | RuntimeException notStarted) {
            stage.close();
            throw notStarted;
        }
    }

    private void startBrokers(Access access, boolean onFailingDisk) throws IOException, InterruptedException {
        List<Path> directories = new ArrayList<>();
        if (onFailingDisk) {
            disk = FailingDisk.btrfs(DISK_SIZE);
            directories.add(folder.make("healthy"));
            directories.add(Files.createDirectory(disk.directory().resolve("failing")));
        }
        brokers = deployment.start(network(access), folder.path(), directories);
    }

    private BrokerNetwork network(Access access) throws IOException {
        if (access == Access.NAMESPACE) {
            return new BrokerNetwork(namespace.command(), namespace.hosts(), Map.of());
        }
        if (access == Access.DIRECT) {
            return BrokerNetwork.LOOPBACK;
        }
        Map<Integer, BrokerNetwork.Front> fronts = new HashMap<>();
        for (int id = 1; id <= deployment.brokers(); id++) {
            int behind = FreePorts.next();
            int before = FreePorts.next();
            proxies.add(new FrameProxy(before, behind));
            fronts.put(id, new BrokerNetwork.Front("127.0.0.1:" + behind, "127.0.0.1:" + before));
        }
        return new BrokerNetwork(List.of(), List.of(), fronts);
    }

    Brokers brokers() {
        return brokers;
    }

    /** The proxies before the brokers; none unless clients reach them so. */
    List<FrameProxy> proxies() {
        return proxies;
    }

    /** For files of this outage. */
    Path folder() {
        return folder.path();
    }

    /** Where the brokers are, or null. */
    NetworkNamespace namespace() {
        return namespace;
    }

    /** The disk under a log directory of the first broker, or null. */
    FailingDisk disk() {
        return disk;
    }

    @Override
    public void close() throws IOException {
        if (brokers != null) {
            brokers.close();
        }
        for (FrameProxy proxy : proxies) {
            proxy.close();
        }
        if (namespace != null) {
            namespace.close();
        }
        if (disk != null) {
            disk.close();
        }
        folder.close();
    }
}
