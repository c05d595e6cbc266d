package io.faultline.bench.scale;

import com.sun.management.UnixOperatingSystemMXBean;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.classifier.Classification;
import io.faultline.classifier.LogDirOwner;
import io.faultline.classifier.OwnerAction;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** A server with many log directories, which it claims, and with many files in one of them. For one thread, but for what an owner is asked. */
final class Directories implements LogDirOwner, AutoCloseable {

    private static final String SEGMENT = "segment-";

    /** A file has a limit of names. */
    private static final int NAMES_OF_A_FILE = 10_000;

    /** How many files are opened at a time where not all can be open at once. */
    private static final int WINDOW = 1_500;

    private final List<String> directories = new ArrayList<>();
    private final List<FileChannel> oneInEach = new ArrayList<>();
    private final List<Path> names = new ArrayList<>();
    private final List<FileChannel> manyInOne = new ArrayList<>();
    private final List<FileChannel> window = new ArrayList<>();
    private int windowEnd;

    private Directories() {}

    static Directories in(TemporaryFolder folder, int number, int filesInOne, int size) throws IOException {
        Directories made = new Directories();
        byte[] content = new byte[size];
        for (int directory = 0; directory < number; directory++) {
            Path path = folder.make("log-" + directory);
            made.directories.add(path.toString());
            made.oneInEach.add(FileChannel.open(Files.write(path.resolve(SEGMENT), content)));
        }
        // Names in plenty: the agent knows a file by its name, and to make so many files takes minutes.
        Path first = Path.of(made.directories.get(0));
        Path file = null;
        for (int name = 0; name < filesInOne; name++) {
            Path path = first.resolve(SEGMENT + name);
            if (name % NAMES_OF_A_FILE == 0) {
                file = Files.write(path, content);
            } else {
                Files.createLink(path, file);
            }
            made.names.add(path);
        }
        return made;
    }

    /** A file of each of so many directories. */
    List<FileChannel> oneInEach(int number) {
        return oneInEach.subList(0, number);
    }

    /** Open files of one directory: all of so many, or, where a process may not have so many open, with each call others of them. */
    List<FileChannel> manyInOne(int number) throws IOException {
        if (number > openAtOnce()) {
            return nextWindow(number);
        }
        while (manyInOne.size() < number) {
            manyInOne.add(FileChannel.open(names.get(manyInOne.size())));
        }
        return manyInOne.subList(0, number);
    }

    private List<FileChannel> nextWindow(int number) throws IOException {
        closeAll(window);
        while (window.size() < Math.min(WINDOW, number)) {
            window.add(FileChannel.open(names.get(windowEnd)));
            windowEnd = (windowEnd + 1) % number;
        }
        return window;
    }

    private static long openAtOnce() {
        return ManagementFactory.getPlatformMXBean(UnixOperatingSystemMXBean.class)
                        .getMaxFileDescriptorCount()
                / 2;
    }

    private static void closeAll(List<FileChannel> files) throws IOException {
        for (FileChannel file : files) {
            file.close();
        }
        files.clear();
    }

    @Override
    public String name() {
        return "server";
    }

    @Override
    public Collection<String> directories() {
        return directories;
    }

    @Override
    public boolean isOffline(String directory) {
        return false;
    }

    @Override
    public OwnerAction takeOffline(String directory, Classification why) {
        return OwnerAction.UNKNOWN;
    }

    @Override
    public void close() throws IOException {
        closeAll(oneInEach);
        closeAll(manyInOne);
        closeAll(window);
    }
}
