package io.faultline.agent.core;

import java.nio.file.FileSystems;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;

/** Patterns of paths, as in {@link java.nio.file.FileSystem#getPathMatcher} with {@code glob}. Pure string work: no file is looked at. */
final class PathPatterns {

    private final List<PathMatcher> matchers = new ArrayList<>();

    private PathPatterns() {}

    /** Reads patterns that are separated by colons; each has been accepted before. */
    static PathPatterns of(String patterns) {
        PathPatterns read = new PathPatterns();
        for (String pattern : split(patterns)) {
            read.matchers.add(FileSystems.getDefault().getPathMatcher("glob:" + pattern));
        }
        return read;
    }

    static List<String> split(String patterns) {
        List<String> split = new ArrayList<>();
        for (String pattern : patterns.split(":")) {
            if (!pattern.isBlank()) {
                split.add(pattern.strip());
            }
        }
        return split;
    }

    boolean isEmpty() {
        return matchers.isEmpty();
    }

    /** Says whether a pattern matches a path, or a directory above it. */
    boolean matches(String path) {
        try {
            for (Path each = Path.of(path); each != null; each = each.getParent()) {
                for (PathMatcher matcher : matchers) {
                    if (matcher.matches(each)) {
                        return true;
                    }
                }
            }
        } catch (InvalidPathException noPath) { // then no pattern means it
            return false;
        }
        return false;
    }
}
