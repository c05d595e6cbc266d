package io.faultline.broker.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Says which of several brokers a parameter of a test is: the one whose {@link BrokerExtension} has that name. */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface BrokerNamed {

    /**
     * The name that the extension was made with.
     *
     * @return the name
     */
    String value();
}
