package io.faultline.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** An image file with a file system, mounted through a loop device. */
final class LoopImage {

    private final DiskFolder folder;
    private final Path device;

    private LoopImage(DiskFolder folder, Path device) {
        this.folder = folder;
        this.device = device;
    }

    /** Makes a sparse image and mounts it; {@code mkfs} is the tool with its options. */
    static LoopImage mount(String type, long size, String mountOptions, String mkfs) throws IOException {
        DiskFolder folder = DiskRegistry.newFolder(type);
        try {
            Command.run("truncate", "-s", size, folder.image());
            List<Object> options = new ArrayList<>(List.of((Object[]) mkfs.split(" ")));
            String tool = options.remove(0).toString();
            options.add(folder.image());
            Command.run(tool, options.toArray());
            Command.run("mount", "-t", type, "-o", "loop,noatime," + mountOptions, folder.image(), folder.mountPoint());
            return new LoopImage(folder, Path.of(folder.mount().source()));
        } catch (IOException | RuntimeException e) {
            folder.closeAfter(e);
            throw e;
        }
    }

    Path directory() {
        return folder.mountPoint();
    }

    Path path() {
        return folder.image();
    }

    Path tail() {
        return folder.tail();
    }

    Path device() {
        return device;
    }

    /** Opened for reading and writing, under the mounted file system. */
    FileChannel open() throws IOException {
        return FileChannel.open(folder.image(), StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    void close() throws IOException {
        folder.close();
    }
}
