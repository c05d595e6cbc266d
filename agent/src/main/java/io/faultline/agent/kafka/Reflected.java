package io.faultline.agent.kafka;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads objects of the host's by reflection: the agent is not compiled against any Kafka, since it has to fit them all.
 */
final class Reflected {

    private Reflected() {}

    /**
     * Reads a field of an object's class or of a class above it.
     *
     * @param name the field's name, or, where no field is called just that, the end of it: the Scala compiler puts the class before it, or an underscore
     * @return the value
     * @throws NoSuchFieldException if there is none
     */
    static Object field(Object object, String name) throws ReflectiveOperationException {
        Field ending = null;
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (field.getName().equals(name) && field.trySetAccessible()) {
                    return field.get(object);
                }
                if (ending == null && field.getName().endsWith(name)) {
                    ending = field;
                }
            }
        }
        if (ending != null && ending.trySetAccessible()) {
            return ending.get(object);
        }
        throw new NoSuchFieldException(object.getClass().getName() + " has no field …" + name);
    }

    /**
     * Finds a method by name and number of parameters.
     *
     * @return the method, callable
     * @throws NoSuchMethodException if there is none
     */
    static Method method(Class<?> type, String name, int parameters) throws NoSuchMethodException {
        for (Class<?> declaring = type; declaring != null; declaring = declaring.getSuperclass()) {
            for (Method method : declaring.getDeclaredMethods()) {
                if (method.getName().equals(name)
                        && method.getParameterCount() == parameters
                        && method.trySetAccessible()) {
                    return method;
                }
            }
        }
        throw new NoSuchMethodException(type.getName() + " has no " + name + " with " + parameters + " parameters");
    }

    /** Calls a method that takes nothing. */
    static Object call(Object object, String name) throws ReflectiveOperationException {
        return method(object.getClass(), name, 0).invoke(object);
    }

    /** The elements of a Java or a Scala collection. */
    static List<Object> elements(Object collection) throws ReflectiveOperationException {
        List<Object> elements = new ArrayList<>();
        if (collection instanceof Iterable<?> ofJava) {
            ofJava.forEach(elements::add);
            return elements;
        }
        Object iterator = call(collection, "iterator");
        Method hasNext = publicMethod(iterator, "hasNext");
        Method next = publicMethod(iterator, "next");
        while ((Boolean) hasNext.invoke(iterator)) {
            elements.add(next.invoke(iterator));
        }
        return elements;
    }

    private static Method publicMethod(Object object, String name) throws NoSuchMethodException {
        Method method = object.getClass().getMethod(name);
        method.setAccessible(true);
        return method;
    }
}
