package io.faultline.classifier;

/**
 * A log directory that an owner claims, as of some moment.
 *
 * @param path the directory in its owner's spelling
 * @param owner the owner's name
 * @param offline whether the owner said that it is offline
 */
public record OwnedDirectory(String path, String owner, boolean offline) {}
