/**
 * What a failed transfer is, how a failing disk is told from a vanished client, and who is told.
 *
 * <p>A failure goes one way: {@link io.faultline.classifier.FailureClassifier#submit} takes a
 * {@link io.faultline.classifier.FailedTransfer}; a check re-reads its {@link io.faultline.classifier.Region}; the
 * {@link io.faultline.classifier.Classification} goes to the {@link io.faultline.classifier.LogDirOwner} of the directory, then out of the
 * {@link io.faultline.classifier.FailureFeed}. The library knows no particular server and weaves nothing.
 */
package io.faultline.classifier;
