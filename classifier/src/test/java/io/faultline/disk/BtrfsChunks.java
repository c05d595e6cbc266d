package io.faultline.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where the addresses of a btrfs of one device, with the profile "single", lie on that device. */
final class BtrfsChunks {

    private static final Pattern CHUNK = Pattern.compile(
            "CHUNK_ITEM (\\d+)\\) [^\\n]*\\n\\s*length (\\d+) .*?stripe 0 devid 1 offset (\\d+)", Pattern.DOTALL);

    private record Chunk(long length, long deviceOffset) {}

    private final NavigableMap<Long, Chunk> chunks = new TreeMap<>();

    private BtrfsChunks() {}

    /** Reads the chunk tree of the last commit. */
    static BtrfsChunks of(Path image) throws IOException {
        BtrfsChunks map = new BtrfsChunks();
        // Without --noscan, every block device of the machine would be searched for other parts of the file system.
        Matcher item =
                CHUNK.matcher(Command.run("btrfs", "inspect-internal", "dump-tree", "--noscan", "-t", "chunk", image));
        while (item.find()) {
            map.chunks.put(
                    Long.parseLong(item.group(1)),
                    new Chunk(Long.parseLong(item.group(2)), Long.parseLong(item.group(3))));
        }
        return map;
    }

    /** The offset on the device, or -1 where the address lies in no chunk. */
    long deviceOffset(long address) {
        var chunk = chunks.floorEntry(address);
        if (chunk == null || address - chunk.getKey() >= chunk.getValue().length()) {
            return -1;
        }
        return chunk.getValue().deviceOffset() + address - chunk.getKey();
    }
}
