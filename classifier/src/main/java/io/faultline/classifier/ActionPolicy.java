package io.faultline.classifier;

/** Decides whether an owner may be told to take a directory offline. Called on the thread that calls the owner. */
@FunctionalInterface
public interface ActionPolicy {

    /** Acts on every verdict. */
    ActionPolicy ACT = (owner, directory) -> OwnerAction.FED;

    /** Never acts. */
    ActionPolicy OBSERVE = (owner, directory) -> OwnerAction.OBSERVED;

    /**
     * Decides on one verdict.
     *
     * @param owner who claims the directory
     * @param directory the directory, in the owner's spelling
     * @return {@link OwnerAction#FED} to go on, anything else to leave the directory alone and say why
     */
    OwnerAction permit(LogDirOwner owner, String directory);
}
