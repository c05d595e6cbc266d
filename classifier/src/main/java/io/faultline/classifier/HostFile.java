package io.faultline.classifier;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What {@code /proc} tells about a file that the host has open. Naming and identifying it reads procfs only, never the disk;
 * opening it may hang with the disk, so that is done on check threads alone.
 *
 * <p>Every answer is used only after the host's channel was seen open <em>behind</em> it: until then the number may have been given to
 * another file.
 */
final class HostFile {

    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final Path DESCRIPTOR_FACTS = Path.of("/proc/self/fdinfo");
    private static final String DELETED = " (deleted)";

    private final HostDescriptors descriptors;

    HostFile(HostDescriptors descriptors) {
        this.descriptors = descriptors;
    }

    /**
     * The name that the file has today.
     *
     * @return the name, or null where the system does not tell it or the channel is closed
     */
    String nameToday(FileChannel channel) {
        int number = descriptors.of(channel);
        if (number < 0 || !channel.isOpen()) {
            return null;
        }
        try {
            String link = Files.readSymbolicLink(DESCRIPTORS.resolve(Integer.toString(number)))
                    .toString();
            if (!channel.isOpen() || !link.startsWith("/")) {
                return null;
            }
            return link.endsWith(DELETED) ? link.substring(0, link.length() - DELETED.length()) : link;
        } catch (IOException | RuntimeException noProc) {
            return null;
        }
    }

    /**
     * What identifies the file among all that are open: its mount and its inode (Linux 5.14 and newer).
     *
     * @return an identity that equals that of any other channel of the same file, or the channel itself
     */
    Object identity(FileChannel channel) {
        int number = descriptors.of(channel);
        if (number < 0 || !channel.isOpen()) {
            return channel;
        }
        try {
            String mount = null;
            String inode = null;
            for (String line : Files.readAllLines(DESCRIPTOR_FACTS.resolve(Integer.toString(number)))) {
                if (line.startsWith("mnt_id:")) {
                    mount = line.substring("mnt_id:".length()).strip();
                } else if (line.startsWith("ino:")) {
                    inode = line.substring("ino:".length()).strip();
                }
            }
            return inode != null && channel.isOpen() ? mount + ':' + inode : channel;
        } catch (IOException | RuntimeException noProc) {
            return channel;
        }
    }

    /**
     * Opens the host's file once more, with a descriptor of our own: a re-read that hangs on it cannot hang the host's
     * {@code close()}, and nothing that we do can close the host's channel. Works for renamed and deleted files too.
     *
     * @return the open file, or null where that is not possible or the host closed its channel meanwhile
     */
    FileChannel openAgain(FileChannel channel) {
        int number = descriptors.of(channel);
        if (number < 0 || !channel.isOpen()) {
            return null;
        }
        FileChannel own;
        try {
            own = FileChannel.open(DESCRIPTORS.resolve(Integer.toString(number)), StandardOpenOption.READ);
        } catch (IOException | RuntimeException notHere) { // no procfs, or no right to open the file again
            return null;
        }
        if (channel.isOpen()) {
            return own;
        }
        closeQuietly(own);
        return null;
    }

    /** Closes a channel of our own. That it cannot be closed helps nobody to know. */
    static void closeQuietly(FileChannel own) {
        try {
            own.close();
        } catch (IOException ignored) { // it was only read
        }
    }
}
