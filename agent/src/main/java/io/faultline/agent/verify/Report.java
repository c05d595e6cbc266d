package io.faultline.agent.verify;

import java.nio.file.Path;
import java.util.List;

/**
 * What a {@link Verification} found.
 *
 * @param path what was looked at
 * @param files how many files were read
 * @param bytes how many bytes could be read
 * @param cached how many of the files could only be read through the page cache, so that a bad disk below may not show
 * @param bad what cannot be read
 * @param notLookedAt files and directories that could not be opened or listed, with the reason
 */
public record Report(Path path, long files, long bytes, long cached, List<BadRegion> bad, List<String> notLookedAt) {}
