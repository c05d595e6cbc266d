package io.faultline.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** An image file with a file system, mounted through a loop device. */
final class LoopImage {

    private final DiskFolder folder;
    private final Path device;

    private LoopImage(DiskFolder folder, Path device) {
        this.folder = folder;
        this.device = device;
    }

    /** Makes a sparse image and mounts it; {@code mkfs} is the tool with its options. */
    static LoopImage mount(String type, long size, String options, String mkfs, Object... mkfsOptions)
            throws IOException {
        DiskFolder folder = DiskRegistry.newFolder(type);
        try {
            Command.run("truncate", "-s", size, folder.image());
            Object[] arguments = new Object[mkfsOptions.length + 1];
            System.arraycopy(mkfsOptions, 0, arguments, 0, mkfsOptions.length);
            arguments[mkfsOptions.length] = folder.image();
            Command.run(mkfs, arguments);
            Command.run("mount", "-t", type, "-o", "loop,noatime," + options, folder.image(), folder.mountPoint());
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
