package io.faultline.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What the disks of a process have left on the machine. */
final class LeftBehind {

    private LeftBehind() {}

    /** Folders, mounts, loop devices and processes of the disks that a process made. */
    static List<String> by(long pid) throws IOException {
        String mark = "-" + pid + "-";
        return Stream.of(
                        folders().filter(name -> name.contains(mark)),
                        Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
                                .filter(line -> line.contains(mark)),
                        Stream.of(Command.run("losetup", "-a").split("\n")).filter(line -> line.contains(mark)),
                        ProcessHandle.allProcesses()
                                .map(process -> String.join(" ", Proc.commandLine(process.pid())))
                                .filter(line -> line.contains("bindfs") && line.contains(mark)))
                .flatMap(left -> left)
                .toList();
    }

    private static Stream<String> folders() throws IOException {
        Path registry = DiskRegistry.path();
        if (!Files.exists(registry)) {
            return Stream.empty();
        }
        try (Stream<Path> folders = Files.list(registry)) {
            return folders.map(Path::toString).toList().stream();
        }
    }
}
