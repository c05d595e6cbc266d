package io.faultline.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** An image file with a file system, mounted through a loop device. */
final class LoopImage {

    private static final int ATTEMPTS = 20;

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
            return mount(folder, type, mountOptions);
        } catch (IOException | RuntimeException e) {
            folder.closeAfter(e);
            throw e;
        }
    }

    private static LoopImage mount(DiskFolder folder, String type, String mountOptions) throws IOException {
        Command.run("mount", "-t", type, "-o", "loop,noatime," + mountOptions, folder.image(), folder.mountPoint());
        return new LoopImage(folder, Path.of(folder.mount().source()));
    }

    /** Mounts a copy of the image as it is now, without what the file system has yet to write. */
    LoopImage mountCopy(String type, String mountOptions) throws IOException {
        DiskFolder copy = DiskRegistry.newFolder(type);
        try {
            for (int attempt = 1; ; attempt++) {
                Command.run("cp", "--sparse=always", folder.image(), copy.image());
                // Equal after it was copied: the image was like that at one moment, and not only in parts.
                if (Files.mismatch(folder.image(), copy.image()) < 0) {
                    return mount(copy, type, mountOptions);
                }
                if (attempt == ATTEMPTS) {
                    throw new IOException("Changes all the time: " + folder.image());
                }
            }
        } catch (IOException | RuntimeException e) {
            copy.closeAfter(e);
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
